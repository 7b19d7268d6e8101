import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ParcelFile, treeDigest } from '@vantage/domain';
import { ignoreMissing, parseJson, replaceFile, syncFolder } from '@vantage/kernel';
import { z } from 'zod';
import { ensureFolder } from '../storage/disk.ts';
import type { Chosen, Trial } from './select-version.ts';

const chosenShape = z.object({
  upgradeId: z.string(),
  version: z.string(),
  previous: z.string(),
  installed: z.string(),
});
const trialShape = chosenShape.extend({ starts: z.int().min(0) });
const failedShape = z.object({ upgradeId: z.string(), version: z.string(), text: z.string() });

/** An upgrade that came to nothing. */
type FailedUpgrade = z.output<typeof failedShape>;

/**
 * The folder with the versions that came by upgrades: `VERSION/` each, with its signed statement `VERSION.sig`, and
 * three files: `trial` (the version that is being tried), `current` (the last one that was confirmed) and `failed`. A
 * file is replaced as a whole, so that a process that ends at any point leaves the state before a step or after it.
 */
export interface VersionsFolder {
  readonly folder: string;
  readonly trialFile: string;
  /** A file that is missing or damaged is undefined. */
  current(): Promise<Chosen | undefined>;
  trial(): Promise<Trial | undefined>;
  failed(): Promise<FailedUpgrade | undefined>;
  /** The next start tries this version; also counts its starts. */
  keepTrial(trial: Trial): Promise<void>;
  /** The version on trial is the current one from now on. */
  confirm(): Promise<void>;
  /** Keeps why an upgrade failed. */
  keepFailure(failure: FailedUpgrade): Promise<void>;
  /** The version on trial is none any more. */
  endTrial(): Promise<void>;
  /** Removes every version but these, and what an upgrade that was interrupted left. */
  keepOnly(versions: readonly string[]): Promise<void>;
}

/** Opens the folder of an agent's data; makes nothing yet. */
export function openVersionsFolder(dataDir: string): VersionsFolder {
  const folder = path.join(dataDir, 'versions');
  const file = (name: string) => path.join(folder, name);
  const read = async <T>(name: string, shape: z.ZodType<T>): Promise<T | undefined> =>
    shape.safeParse(parseJson(await readFile(file(name), 'utf8').catch(() => ''))).data;
  const write = async (name: string, value: object) => {
    await ensureFolder(folder);
    await replaceFile(file(name), `${JSON.stringify(value)}\n`);
  };
  const remove = async (name: string) => {
    await rm(file(name), { force: true });
    await syncFolder(folder).catch(ignoreMissing);
  };
  return {
    folder,
    trialFile: file('trial'),
    current: () => read('current', chosenShape),
    trial: () => read('trial', trialShape),
    failed: () => read('failed', failedShape),
    keepTrial: (trial) => write('trial', trial),
    async confirm() {
      await rename(file('trial'), file('current'));
      await syncFolder(folder);
      await remove('failed');
    },
    keepFailure: (failure) => write('failed', failure),
    endTrial: () => remove('trial'),
    async keepOnly(versions) {
      const kept = new Set(['trial', 'current', 'failed', ...versions, ...versions.map(statementName)]);
      const names = await readdir(folder).catch(() => []);
      for (const name of names) if (!kept.has(name)) await rm(file(name), { recursive: true, force: true });
    },
  };
}

/** The name of the file with the signed statement about a version. */
export function statementName(version: string): string {
  return `${version}.sig`;
}

/**
 * The digest of a folder's files, as `treeDigest` has it. Throws for anything that is no file or folder: a link would
 * lead out of what was signed. With `isSynced` the files are on the disk when it resolves.
 */
export async function digestOfFolder(folder: string, { isSynced = false } = {}): Promise<string> {
  const files: ParcelFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const place = path.join(entry.parentPath, entry.name);
    if (!entry.isFile()) throw new Error(`${place} is neither a file nor a folder`);
    const handle = await open(place, 'r');
    try {
      const { mode } = await handle.stat();
      const sha256 = await digestOfFile(handle);
      files.push({ name: path.relative(folder, place), isExecutable: (mode & 0o100) !== 0, sha256 });
      if (isSynced) await handle.sync();
    } finally {
      await handle.close();
    }
  }
  return treeDigest(files);
}

async function digestOfFile(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of handle.createReadStream({ autoClose: false })) hash.update(chunk);
  return hash.digest('hex');
}
