import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type ParcelFile, treeDigest } from '@vantage/domain';
import { ignoreMissing, parseJson, replaceFile, syncFolder } from '@vantage/kernel';
import { z } from 'zod';
import { ensureFolder } from '../storage/disk.ts';
import type { ChosenVersion, TrialVersion } from './select-version.ts';

const chosenShape = z.object({
  upgradeId: z.string(),
  version: z.string(),
  previous: z.string(),
  installed: z.string(),
});
const trialShape = chosenShape.extend({ starts: z.int().min(0) });
const failedShape = z.object({ upgradeId: z.string(), version: z.string(), text: z.string() });

type FailedUpgrade = z.output<typeof failedShape>;

/**
 * The folder with the versions from upgrades. Each has a folder `VERSION/` and a signed statement `VERSION.sig`. Three
 * files describe them: `trial` (the version on trial), `current` (the last confirmed one) and `failed`. A file is
 * replaced as a whole, so a process that ends at any point leaves the state before a step or after it.
 */
export interface VersionsFolder {
  readonly folder: string;
  readonly trialFile: string;
  /** Undefined if the file is missing or damaged. */
  current(): Promise<ChosenVersion | undefined>;
  trial(): Promise<TrialVersion | undefined>;
  failed(): Promise<FailedUpgrade | undefined>;
  /** The next start tries this version. Also counts its starts. */
  keepTrial(trial: TrialVersion): Promise<void>;
  /** The version on trial becomes the current one. */
  confirm(): Promise<void>;
  /** Stores why an upgrade failed. */
  keepFailure(failure: FailedUpgrade): Promise<void>;
  /** No version is on trial any longer. */
  endTrial(): Promise<void>;
  /** Removes all other versions, and the files of an interrupted upgrade. */
  keepOnly(versions: readonly string[]): Promise<void>;
}

/** Opens the folder of an agent's data. It creates the folder at the first write. */
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
      const retained = new Set(['trial', 'current', 'failed', ...versions, ...versions.map(statementName)]);
      const names = await readdir(folder).catch(() => []);
      for (const name of names)
        if (!retained.has(name)) await rm(file(name), { recursive: true, force: true });
    },
  };
}

/** The name of the file with the signed statement about a version. */
export function statementName(version: string): string {
  return `${version}.sig`;
}

/**
 * The digest of a folder's files; see `treeDigest`. Throws for an entry that is neither a file nor a folder, because a
 * link would lead out of the signed files. With `isSynced` the files are on disk when it resolves.
 */
export async function digestOfFolder(folder: string, { isSynced = false } = {}): Promise<string> {
  const files: ParcelFile[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile()) throw new Error(`${file} is neither a file nor a folder`);
    const handle = await open(file, 'r');
    try {
      const { mode } = await handle.stat();
      const sha256 = await digestOfFile(handle);
      files.push({ name: path.relative(folder, file), isExecutable: (mode & 0o100) !== 0, sha256 });
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
