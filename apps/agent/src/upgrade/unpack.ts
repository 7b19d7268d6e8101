import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';
import { messageOf } from '@vantage/kernel';
import { unpackTar } from 'modern-tar/fs';

/** Unpacks a parcel into a folder, one file at a time. Rejects when the disk refuses, or the parcel is none. */
export async function unpackParcel(file: string, folder: string): Promise<void> {
  await pipeline(createReadStream(file), createGunzip(), unpackTar(folder, { concurrency: 1, strict: true }));
}

/** Why the program of a parcel does not run on this host; undefined: it does. */
export async function programFault(folder: string): Promise<string | undefined> {
  try {
    await promisify(execFile)(path.join(folder, 'bin/node'), ['--version'], { timeout: 30_000, env: {} });
    return undefined;
  } catch (error) {
    return messageOf(error).split('\n', 2).join(' ').slice(0, 300);
  }
}
