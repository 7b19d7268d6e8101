import { rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  diskRemedy,
  Fault,
  isDiskRefusal,
  isReadOnly,
  type KeptFiles,
  makeFile,
  messageOf,
  parseJson,
  readIfPresentSync,
  removeIfAllowed,
} from '@vantage/kernel';
import { z } from 'zod';
import { allEnded, identify, isAlive, type ProcessId, sendSignal } from './process-id.ts';

const processId = z.object({ pid: z.int(), started: z.number() });
const lockSchema = z.object({ owner: processId, ending: z.boolean(), children: z.array(processId) });
type LockContent = z.infer<typeof lockSchema>;

/** The right to run a system on a data folder. */
export interface DataLock {
  /** Records the processes of this system. If we are killed, the next start waits for them. */
  children(ids: readonly ProcessId[]): void;
  /** From now on a second start waits for our end instead of failing. */
  ending(): void;
  release(): void;
}

/** The wait for a predecessor that is ending. */
const maxEndingMs = 15_000;
/** The wait for a predecessor that is not ending yet, because it may just have been told to end. */
const maxRunningMs = 1_500;
/** The wait between two attempts to write to a full disk. */
const diskRetryMs = 1_000;

/**
 * Locks a data folder with the file `up.lock`. It has the owner's pid and start time, so that the lock of a killed
 * process is recognised. Waits for a predecessor that is ending, for processes of a killed predecessor, and while the
 * disk is full. Throws a Fault where another system runs on the folder, or the folder is read-only.
 */
export async function lockData(
  dataDir: string,
  say: (text: string) => void,
  files: KeptFiles,
): Promise<DataLock> {
  const file = path.join(dataDir, 'up.lock');
  const owner = identify(process.pid);
  let content: LockContent = { owner, ending: false, children: [] };
  const fromMs = performance.now();
  let isReported = false;
  while (!(await createLock(file, content, say))) {
    const other = read(file);
    if (other && isAlive(other.owner)) {
      if (performance.now() - fromMs > (other.ending ? maxEndingMs : maxRunningMs))
        throw new Fault(
          'stop',
          'already_running',
          `a system already runs on ${dataDir} (process ${other.owner.pid}); end it first, or choose another folder with VANTAGE_DATA`,
        );
      if (!isReported && other.ending) say('waiting for the previous system to end');
      isReported ||= other.ending;
      await delay(100);
      continue;
    }
    if (other?.children.some(isAlive)) {
      say('waiting for the processes of a start that was killed');
      // They are ending, because their IPC channel broke. A signal would interrupt that.
      if (!(await allEnded(other.children, 7_000)))
        for (const child of other.children) sendSignal(child, 'SIGKILL');
      await allEnded(other.children, 2_000);
    }
    removeStale(file, other);
  }
  const save = () => files.write(file, JSON.stringify(content));
  return {
    children(ids) {
      content = { ...content, children: [...ids] };
      save();
    },
    ending() {
      content = { ...content, ending: true };
      save();
    },
    release() {
      files.stop();
      removeIfAllowed(file);
    },
  };
}

/** Whether the owner of a data folder's lock is alive. */
export function isLocked(dataDir: string): boolean {
  const lock = read(path.join(dataDir, 'up.lock'));
  return lock !== undefined && isAlive(lock.owner);
}

/** Creates the file atomically. Returns false where it already exists. Waits while the disk is full. */
async function createLock(file: string, content: LockContent, say: (text: string) => void): Promise<boolean> {
  for (let isReported = false; ; isReported = true) {
    try {
      const isCreated = await makeFile(file, JSON.stringify(content));
      if (isReported) say('the disk accepts files again');
      return isCreated;
    } catch (cause) {
      const why = `${file} cannot be written (${messageOf(cause)}): ${diskRemedy(cause)}, or choose another folder with VANTAGE_DATA`;
      // A full disk may have room in a minute. A read-only disk stays read-only until an operator remounts it.
      if (!isDiskRefusal(cause) || isReadOnly(cause))
        throw new Fault('stop', 'lock_unwritable', why, { cause });
      if (!isReported) say(`${why}; waiting`);
    }
    await delay(diskRetryMs);
  }
}

/**
 * Reads the lock. Undefined where it is missing or damaged, so that it has no owner. Throws a Fault where the file
 * cannot be read.
 */
function read(file: string): LockContent | undefined {
  let text: string | undefined;
  try {
    text = readIfPresentSync(file);
  } catch (cause) {
    const why = `cannot determine whether a system runs on ${path.dirname(file)}: ${messageOf(cause)}`;
    throw new Fault('stop', 'lock_unreadable', why, { cause });
  }
  return lockSchema.safeParse(parseJson(text)).data;
}

/** Removes a stale lock, unless another start has replaced it. */
function removeStale(file: string, stale: LockContent | undefined): void {
  const current = read(file);
  if (current?.owner.pid === stale?.owner.pid && current?.owner.started === stale?.owner.started)
    rmSync(file, { force: true });
}
