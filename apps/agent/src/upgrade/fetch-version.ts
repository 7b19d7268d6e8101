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
import type { Downloaded } from './download.ts';
import { digestOfFolder, statementName, type VersionsFolder } from './versions-folder.ts';

/** The outcome of fetching a version. `later`: worth another try. */
export type Fetched =
  | { readonly kind: 'there' }
  | { readonly kind: 'later' | 'refused'; readonly text: string };

/** Downloads from the controller. */
export type DownloadFrom = (wanted: {
  readonly path: string;
  readonly maxBytes: number;
  readonly onBytes: (chunk: Buffer) => Promise<void> | void;
}) => Promise<Downloaded>;

const maxStatement = 4096;
/** The results of checks need this much of the disk besides, bytes. */
const spareBytes = 256 * mebibyte;
const parcelName = 'parcel.part';
const unpackedName = 'unpacked.part';

/**
 * Downloads a version, verifies it with the release key and unpacks it beside the running one. The version is there,
 * whole and on the disk, only when this resolves with `there`; whatever else happens, nothing of it stays.
 */
export async function fetchVersion(deps: {
  readonly version: string;
  readonly arch: ParcelArchitecture;
  readonly releaseKeyFile: string;
  readonly versions: VersionsFolder;
  readonly download: DownloadFrom;
}): Promise<Fetched> {
  const { folder } = deps.versions;
  const [parcel, unpacked] = [path.join(folder, parcelName), path.join(folder, unpackedName)];
  const clear = async () => {
    await rm(parcel, { force: true });
    await rm(unpacked, { recursive: true, force: true });
  };
  try {
    await ensureFolder(folder);
    await clear();
    const found = await readAbout(deps);
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
    const place = path.join(folder, deps.version);
    await replaceFile(path.join(folder, statementName(deps.version)), found.text);
    await rm(place, { recursive: true, force: true });
    await rename(unpacked, place);
    await syncFolder(folder);
    return { kind: 'there' };
  } catch (error) {
    const advice = codeOf(error) === 'ENOSPC' ? `. ${adviceOn(folder)}` : '';
    return refused(`version ${deps.version} cannot be stored: ${messageOf(error)}${advice}`);
  } finally {
    await clear().catch(() => undefined); // the next start clears too
  }
}

/** The signed statement about the parcel, or why there is none that this host accepts. */
async function readAbout({
  version,
  arch,
  releaseKeyFile,
  download,
}: Parameters<typeof fetchVersion>[0]): Promise<
  { readonly statement: ReleaseStatement; readonly text: string } | Exclude<Fetched, { kind: 'there' }>
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
      `the controller has the parcel of version ${statement.version} for ${statement.arch}, and ${version} for ${arch} was asked for`,
    );
  return { statement, text };
}

/** Why the disk has no room for the parcel and its files beside the results of checks; undefined: it has. */
async function lackOfRoom(folder: string, { size, unpacked }: ReleaseStatement): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(folder);
  const needed = size + unpacked + spareBytes;
  if (bavail * bsize >= needed) return undefined;
  const inMib = (bytes: number) => Math.floor(bytes / mebibyte);
  return `the disk of ${folder} has ${inMib(bavail * bsize)} MiB left, and an upgrade needs ${inMib(needed)} MiB. ${adviceOn(folder)}`;
}

const adviceOn = (folder: string) =>
  `Free space on the disk of ${folder} on the agent's host and start the upgrade again`;
const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Downloads the parcel into a file and compares it with the statement; undefined: it is the signed one. */
async function loadParcel(
  download: DownloadFrom,
  file: string,
  { arch, size, sha256 }: ReleaseStatement,
): Promise<Exclude<Fetched, { kind: 'there' }> | undefined> {
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

function refused(text: string): Exclude<Fetched, { kind: 'there' }> {
  return { kind: 'refused', text };
}

/** Unpacks a parcel into a folder, one file at a time. Rejects when the disk refuses, or the parcel is none. */
async function unpackParcel(file: string, folder: string): Promise<void> {
  await pipeline(createReadStream(file), createGunzip(), unpackTar(folder, { concurrency: 1, strict: true }));
}

/** Why the program of a parcel does not run on this host; undefined: it does. */
async function programFault(folder: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(path.join(folder, 'bin/node'), ['--version'], { timeout: 30_000, env: {} });
    return undefined;
  } catch (error) {
    return messageOf(error).split('\n', 2).join(' ').slice(0, 300);
  }
}
