import path from 'node:path';
import { readIfPresent } from '@vantage/kernel';

/** The processors for which there are parcels. */
export const architectures = ['amd64', 'arm64'] as const;
export type Architecture = (typeof architectures)[number];

/** The SHA-256 of a parcel, in hex. */
export interface ParcelHash {
  readonly arch: Architecture;
  readonly sha256: string;
}

/** The file of a parcel in the folder. */
export function parcelFile(folder: string, arch: Architecture): string {
  return path.join(folder, `vantage-agent-linux-${arch}.tar.gz`);
}

/** The parcels that the folder has. `npm run parcel` writes each with a file of its SHA-256 beside it. */
export async function readParcelHashes(folder: string): Promise<readonly ParcelHash[]> {
  const found = await Promise.all(
    architectures.map(async (arch) => {
      const text = await readIfPresent(`${parcelFile(folder, arch)}.sha256`);
      const sha256 = /^[0-9a-f]{64}\b/.exec(text ?? '')?.[0];
      return sha256 === undefined ? [] : [{ arch, sha256 }];
    }),
  );
  return found.flat();
}
