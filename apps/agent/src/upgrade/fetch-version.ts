import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import {
  mebibyte,
  type ParcelArchitecture,
  type ReleaseStatement,
  readReleaseKey,
  readStatement,
} from '@vantage/domain';
import { messageOf, replaceFile, syncFolder } from '@vantage/kernel';
import { unpackTar } from 'modern-tar/fs';
import { ensureFolder, writeAll } from '../storage/disk.ts';
import type { DownloadOutcome } from './download.ts';
import { digestOfFolder, statementName, type VersionsFolder } from './versions-folder.ts';

/** `later`: worth another attempt. */
export type FetchOutcome =
  | { readonly kind: 'there' }
  | { readonly kind: 'later' | 'refused'; readonly text: string };

export type DownloadFrom = (request: {
  readonly path: string;
  readonly maxBytes: number;
  readonly onBytes: (chunk: Buffer) => Promise<void> | void;
}) => Promise<DownloadOutcome>;

const maxStatement = 4096;
/** Disk space that stays free for the results of checks, bytes. */
const spareBytes = 256 * mebibyte;
const parcelName = 'parcel.part';
const unpackedName = 'unpacked.part';

/**
 * Downloads a version, verifies it with the release key and unpacks it next to the running one. The version is complete
 * and on disk only if this resolves with `there`. After any other outcome nothing of it remains.
 */
export async function fetchVersion(deps: {
  readonly version: string;
  readonly arch: ParcelArchitecture;
  readonly releaseKeyFile: string;
  readonly versions: VersionsFolder;
  readonly download: DownloadFrom;
}): Promise<FetchOutcome> {
  const { folder } = deps.versions;
  const [parcel, unpacked] = [path.join(folder, parcelName), path.join(folder, unpackedName)];
  const clear = async () => {
    await rm(parcel, { force: true });
    await rm(unpacked, { recursive: true, force: true });
  };
  try {
    await ensureFolder(folder);
    await clear();
    const found = await readReleaseStatement(deps);
    if (!('statement' in found)) return found;
    const { statement } = found;
    const lack = await lackOfRoom(folder, statement);
    if (lack !== undefined) return refused(lack);
    const loaded = await loadParcel(deps.download, parcel, statement);
    if (loaded !== undefined) return loaded;
    await unpackParcel(parcel, unpacked);
    if ((await digestOfFolder(unpacked, { isSynced: true })) !== statement.tree)
      return refused('the files in the parcel are not the signed ones');
    const fault = await programFault(unpacked);
    if (fault !== undefined)
      return refused(`the program of version ${deps.version} does not run here: ${fault}`);
    const program = path.join(folder, deps.version);
    await replaceFile(path.join(folder, statementName(deps.version)), found.text);
    await rm(program, { recursive: true, force: true });
    await rename(unpacked, program);
    await syncFolder(folder);
    return { kind: 'there' };
  } catch (error) {
    const advice = codeOf(error) === 'ENOSPC' ? `. ${adviceOn(folder)}` : '';
    return refused(`version ${deps.version} cannot be stored: ${messageOf(error)}${advice}`);
  } finally {
    await clear().catch(() => undefined); // the next start clears it too
  }
}

/** The signed statement about the parcel, or the reason why this host does not accept it. */
async function readReleaseStatement({
  version,
  arch,
  releaseKeyFile,
  download,
}: Parameters<typeof fetchVersion>[0]): Promise<
  { readonly statement: ReleaseStatement; readonly text: string } | Exclude<FetchOutcome, { kind: 'there' }>
> {
  const key = readReleaseKey(await readFile(releaseKeyFile, 'utf8'));
  if (key === undefined) return refused(`${releaseKeyFile} has no release key`);
  const chunks: Buffer[] = [];
  const onBytes = (chunk: Buffer) => void chunks.push(chunk);
  const got = await download({ path: `/parcel/linux-${arch}.tar.gz.sig`, maxBytes: maxStatement, onBytes });
  if (got.kind !== 'done') return got;
  const text = Buffer.concat(chunks).toString('utf8');
  const read = readStatement(text, key);
  if (!read.ok) return refused(`the statement about the parcel ${read.fault} that was pinned on this host`);
  const { statement } = read;
  if (statement.version !== version || statement.arch !== arch)
    return refused(
      `the controller has the parcel of version ${statement.version} for ${statement.arch}, but ${version} for ${arch} was requested`,
    );
  return { statement, text };
}

/** The reason why the disk has no room for the parcel, its files and the results of checks; undefined: it has. */
async function lackOfRoom(folder: string, { size, unpacked }: ReleaseStatement): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(folder);
  const needed = size + unpacked + spareBytes;
  if (bavail * bsize >= needed) return undefined;
  const inMib = (bytes: number) => Math.floor(bytes / mebibyte);
  return `the disk of ${folder} has ${inMib(bavail * bsize)} MiB left, but an upgrade needs ${inMib(needed)} MiB. ${adviceOn(folder)}`;
}

const adviceOn = (folder: string) =>
  `Free space on the disk of ${folder} on the agent's host and start the upgrade again`;
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Downloads the parcel into a file and compares it with the statement; undefined: it is the signed one. */
async function loadParcel(
  download: DownloadFrom,
  file: string,
  { arch, size, sha256 }: ReleaseStatement,
): Promise<Exclude<FetchOutcome, { kind: 'there' }> | undefined> {
  const handle = await open(file, 'w', 0o600);
  const hash = createHash('sha256');
  let at = 0;
  try {
    const got = await download({
      path: `/parcel/linux-${arch}.tar.gz`,
      maxBytes: size,
      async onBytes(chunk) {
        hash.update(chunk);
        await writeAll(handle, chunk, at);
        at += chunk.length;
      },
    });
    if (got.kind !== 'done') return got;
  } finally {
    await handle.close();
  }
  if (at < size) return { kind: 'later', text: `the download ended after ${at} of ${size} bytes` };
  if (hash.digest('hex') !== sha256) return refused('the parcel is not the signed one: its SHA-256 differs');
  return undefined;
}

function refused(text: string): Exclude<FetchOutcome, { kind: 'there' }> {
  return { kind: 'refused', text };
}

/** Unpacks a parcel into a folder, one file at a time. Rejects if the disk refuses or the file is not a parcel. */
async function unpackParcel(file: string, folder: string): Promise<void> {
  await pipeline(createReadStream(file), createGunzip(), unpackTar(folder, { concurrency: 1, strict: true }));
}

/** The reason why the program of a parcel does not run on this host; undefined: it runs. */
async function programFault(folder: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(path.join(folder, 'bin/node'), ['--version'], { timeout: 30_000, env: {} });
    return undefined;
  } catch (error) {
    return messageOf(error).split('\n', 2).join(' ').slice(0, 300);
  }
}
