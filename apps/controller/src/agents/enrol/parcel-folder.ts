import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import {
  type ParcelArchitecture,
  parcelArchitectures,
  type ReleaseStatement,
  readStatement,
} from '@vantage/domain';
import { readIfPresent } from '@vantage/kernel';

/** The SHA-256 of a parcel, in hex. */
export interface ParcelHash {
  readonly arch: ParcelArchitecture;
  readonly sha256: string;
}

/** The file of a parcel in the folder. */
export function parcelFile(folder: string, arch: ParcelArchitecture): string {
  return path.join(folder, `vantage-agent-linux-${arch}.tar.gz`);
}

/** The parcels in the folder. `npm run parcel` writes each one with a file that has its SHA-256. */
export async function readParcelHashes(folder: string): Promise<readonly ParcelHash[]> {
  const found = await Promise.all(
    parcelArchitectures.map(async (arch) => {
      const text = await readIfPresent(`${parcelFile(folder, arch)}.sha256`);
      const sha256 = /^[0-9a-f]{64}\b/.exec(text ?? '')?.[0];
      return sha256 === undefined ? [] : [{ arch, sha256 }];
    }),
  );
  return found.flat();
}

/**
 * The parcels of the folder that the release key signed, as they are now: a signature of an earlier parcel does not
 * count.
 */
export async function readSignedParcels(
  folder: string,
  releaseKey: KeyObject,
): Promise<readonly ReleaseStatement[]> {
  const found = await Promise.all(
    (await readParcelHashes(folder)).map(async ({ arch, sha256 }) => {
      const text = await readIfPresent(`${parcelFile(folder, arch)}.sig`);
      const read = readStatement(text ?? '', releaseKey);
      return read.ok && read.statement.sha256 === sha256 && read.statement.arch === arch
        ? [read.statement]
        : [];
    }),
  );
  return found.flat();
}
