import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';

/** A file of an archive. */
export interface ArchiveFile {
  /** Its path in the archive, without a leading slash. */
  readonly name: string;
  readonly mode: number;
  readonly data: Buffer;
}

/** A symbolic link. */
export interface ArchiveLink {
  readonly name: string;
  readonly target: string;
}

/** Every file has this time, so that the same content gives the same archive. */
const mtime = new Date(Date.UTC(2026, 0, 1));
/** Level 9 makes an agent 0.2 % smaller and takes 2.5 times as long. */
const defaultLevel = 6;
const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root', mtime };

/**
 * Packs a gzipped tar archive: sorted by name, each file after its folders, owned by root, without times. The same
 * entries give the same bytes.
 */
export async function packArchive(
  entries: readonly (ArchiveFile | ArchiveLink)[],
  level = defaultLevel,
): Promise<Buffer> {
  const folders = new Set(entries.flatMap(({ name }) => foldersOf(name)));
  const all: TarEntry[] = [
    ...[...folders].map((name) => ({
      header: { ...owner, name, type: 'directory' as const, mode: 0o755, size: 0 },
    })),
    ...entries.map(tarEntry),
  ];
  all.sort((a, b) => (a.header.name < b.header.name ? -1 : 1));
  return promisify(gzip)(await packTar(all), { level, chunkSize: 2 ** 20 });
}

function tarEntry(entry: ArchiveFile | ArchiveLink): TarEntry {
  const { name } = entry;
  if ('target' in entry)
    return { header: { ...owner, name, type: 'symlink', linkname: entry.target, mode: 0o777, size: 0 } };
  const { mode, data } = entry;
  return { header: { ...owner, name, type: 'file', mode, size: data.length }, body: data };
}

function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1);
  return parts.map((_, i) => `${parts.slice(0, i + 1).join('/')}/`);
}
