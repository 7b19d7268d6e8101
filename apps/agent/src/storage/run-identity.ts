import { access, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { dayMs } from '@vantage/domain';
import { Fault, isMissing, messageOf, parseJson } from '@vantage/kernel';
import { z } from 'zod';
import { ensureFolder, isDiskFull } from './disk.ts';
import { openDualCopyFile } from './dual-copy-file.ts';
import { createFaultReporter } from './fault-reporter.ts';

/** The agent's identity across its runs. */
export interface RunIdentity extends AsyncDisposable {
  /** A random id of this run. */
  readonly bootId: string;
  /** Whether an earlier run had a session. */
  readonly hadSessions: boolean;
  /**
   * The last known value of controller minus this host's wall clock, microseconds. Undefined before the first
   * measurement, and if the host's clock was set since: it is behind the file, or a week ahead of it.
   */
  readonly wallOffsetUs: number | undefined;
  /**
   * The number of the next session. It increases each time and is on disk before it is used. While the disk refuses, it
   * is taken from the clock (milliseconds since 1970), so that the next process does not use it again.
   */
  nextSession(): Promise<bigint>;
  /** Stores the offset for the next start. Also repeats a write that the disk refused. */
  keepWallOffset(offsetUs: number): Promise<void>;
}

const storedIdentity = z.object({ session: z.int().min(0), wallOffsetUs: z.int().optional() });

/** A folder with one of these was used by an agent before. */
const agentFiles = new Set(['identity.bin', 'outbox', 'assignments.bin']);

/** A running agent writes the file again after this time, so that the age of the file shows when the agent last ran. */
const freshMs = dayMs;

/** If the file is newer than now by more than this, the clock was set back. */
const aheadMs = 60_000;

/** After this time the host was off, or its clock was set forward. The last known offset is then useless. */
const staleMs = 7 * dayMs;

/** A smaller difference is not worth a write, microseconds. */
const minChangeUs = 100_000;

/**
 * Opens the file in the folder. `onFault` receives the fault of a full or read-only disk, and the agent continues with
 * the values that it has. Throws a Fault if the file exists and cannot be opened for another reason: session numbers
 * that start again would make the agent look like a copy of itself.
 */
export async function openIdentity(deps: {
  readonly folder: string;
  readonly newId: () => string;
  /** This host's wall clock. */
  readonly nowMs: () => number;
  readonly onFault: (text: string) => void;
}): Promise<RunIdentity> {
  const { folder, onFault, nowMs } = deps;
  const file = path.join(folder, 'identity.bin');
  const refused = (what: string) => (error: unknown) => {
    onFault(`${file} cannot be ${what}: ${messageOf(error)}`);
    return undefined;
  };
  await ensureFolder(folder).catch(refused('created'));
  const isNew = (await readdir(folder).catch(() => [])).every((name) => !agentFiles.has(name));
  let writtenMs = await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
  const isSet = writtenMs !== undefined && isSetSince(writtenMs, nowMs());
  const isMissing = !(await isThere(file));
  let store = await openDualCopyFile(file).catch(async (cause: unknown) => {
    if (isDiskTrouble(cause) || (await isAbsent(file))) return refused('opened')(cause);
    const why = `${file} cannot be opened: ${messageOf(cause)}; it has the number of this agent's last session`;
    throw new Fault('stop', 'identity-unreadable', why, { cause });
  });
  const found = parse(store?.text);
  if (found === undefined && !isNew) {
    const what = isMissing ? 'is missing' : 'is damaged';
    onFault(
      `identity.bin ${what}: session numbers start again. If the controller mistakes this agent for a copy and fences it, run ./vantage agents unfence there`,
    );
  }
  let session = found?.session ?? 0;
  let wallOffsetUs = isSet ? undefined : found?.wallOffsetUs;
  let isStored = true;
  const faults = createFaultReporter((text) => onFault(`${file} cannot be written: ${text}`));
  const writeFile = async () => {
    try {
      if (store === undefined) {
        store = await openDualCopyFile(file);
        // A file that could not be read at the start may have a higher number.
        session = Math.max(session, (parse(store.text)?.session ?? 0) + 1);
      }
      await store.write(JSON.stringify({ session, wallOffsetUs }));
      isStored = true;
      faults.clear();
    } catch (error) {
      isStored = false;
      faults.report(error);
      // The file may be open for reading only: the next write opens it again.
      const unusable = store;
      store = undefined;
      await Promise.resolve(unusable?.[Symbol.asyncDispose]()).catch(() => undefined);
    }
  };
  let writing: Promise<void> = Promise.resolve();
  const write = () => {
    writing = writing.then(writeFile);
    return writing;
  };
  return {
    bootId: deps.newId(),
    hadSessions: session > 0,
    wallOffsetUs,
    async nextSession() {
      session += 1;
      await write();
      if (!isStored) session = Math.max(session, Math.floor(nowMs()));
      return BigInt(session);
    },
    async keepWallOffset(offsetUs) {
      const isSame = wallOffsetUs !== undefined && Math.abs(offsetUs - wallOffsetUs) < minChangeUs;
      const isFresh = nowMs() - (writtenMs ?? 0) < freshMs;
      if (isSame && isStored && isFresh) return;
      wallOffsetUs = Math.round(offsetUs);
      writtenMs = nowMs();
      await write();
    },
    async [Symbol.asyncDispose]() {
      await writing;
      await store?.[Symbol.asyncDispose]();
    },
  };
}

function isSetSince(writtenMs: number, nowMs: number): boolean {
  return writtenMs > nowMs + aheadMs || writtenMs < nowMs - staleMs;
}

function isDiskTrouble(error: unknown): boolean {
  return isDiskFull(error) || (error instanceof Error && 'code' in error && error.code === 'EROFS');
}

function isAbsent(file: string): Promise<boolean> {
  return stat(file).then(() => false, isMissing);
}

function parse(text: string | undefined): z.output<typeof storedIdentity> | undefined {
  return storedIdentity.safeParse(parseJson(text)).data;
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
