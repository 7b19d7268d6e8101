import { type ArchiveFile, type ArchiveLink, packArchive } from './pack-archive.ts';

/** The content of a Debian package. */
export interface DebianPackage {
  /** Fields of the control file, in order. */
  readonly control: readonly (readonly [name: string, value: string])[];
  /** Scripts for dpkg (`postinst`, …) and lists (`conffiles`), by name. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Files by their path on the host, without a leading slash. */
  readonly files: readonly (ArchiveFile | ArchiveLink)[];
  readonly level?: number | undefined;
}

/**
 * Packs a Debian package (deb(5), format 2.0) without Debian's tools. Adds the field Installed-Size. The same content
 * gives the same bytes.
 */
export async function packDebian({ control, scripts, files, level }: DebianPackage): Promise<Buffer> {
  const bytes = files.reduce((sum, file) => sum + ('data' in file ? file.data.length : 0), 0);
  const fields = [...control, ['Installed-Size', String(Math.ceil(bytes / 1024))] as const];
  const controlText = fields.map(([name, value]) => `${name}: ${value}\n`).join('');
  const scriptFiles = Object.entries(scripts).map(([name, content]) =>
    file(name, name === 'conffiles' ? 0o644 : 0o755, content),
  );
  return packAr([
    file('debian-binary', 0o644, '2.0\n'),
    file(
      'control.tar.gz',
      0o644,
      await packArchive([file('control', 0o644, controlText), ...scriptFiles], level),
    ),
    file('data.tar.gz', 0o644, await packArchive(files, level)),
  ]);
}

function file(name: string, mode: number, data: Buffer | string): ArchiveFile {
  return { name, mode, data: Buffer.from(data) };
}

/** Packs an `ar` archive: each file follows a header of 60 characters, at an even offset. */
function packAr(files: readonly ArchiveFile[]): Buffer {
  const parts = files.flatMap(({ name, mode, data }) => {
    const fields = [
      [name, 16],
      ['0', 12],
      ['0', 6],
      ['0', 6],
      [`100${mode.toString(8)}`, 8],
      [String(data.length), 10],
    ] as const;
    const header = `${fields.map(([text, width]) => text.padEnd(width)).join('')}\`\n`;
    return [Buffer.from(header), data, Buffer.from(data.length % 2 === 1 ? '\n' : '')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts]);
}
