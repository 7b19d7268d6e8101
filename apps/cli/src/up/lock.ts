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
import { allEnded, identify, isAlive, type ProcessId, sendSignal } from './processes.ts';

const processId = z.object({ pid: z.int(), started: z.number() });
const content = z.object({ owner: processId, ending: z.boolean(), children: z.array(processId) });
type Content = z.infer<typeof content>;

/** The right to run a system on a data folder. */
export interface DataLock {
  /** Records the processes of this system: a later start waits for them when we are killed. */
  children(ids: readonly ProcessId[]): void;
  /** From now on a second start waits for our end instead of being refused. */
  ending(): void;
  release(): void;
}

/** A start waits this long for a predecessor that is ending. */
const predecessorMs = 15_000;
/**
 * A start waits this long for a predecessor that shows no sign of ending, because somebody may just have asked it to
 * end.
 */
const courtesyMs = 1_500;
/** A disk that refuses the file is tried again so often. */
const againMs = 1_000;

/**
 * Takes the lock of a data folder: the file `up.lock` with the owner's pid and start time, so that a start recognises
 * the lock of a process that was killed. Waits for a predecessor that is ending, for the processes that a killed one
 * left running, and for a disk that has no room for the file. Throws a Fault when another system runs there, and when
 * the folder is read-only.
 */
export async function lockData(
  dataDir: string,
  say: (text: string) => void,
  files: KeptFiles,
): Promise<DataLock> {
  const file = path.join(dataDir, 'up.lock');
  const owner = identify(process.pid);
  let mine: Content = { owner, ending: false, children: [] };
  const fromMs = performance.now();
  let isReported = false;
  while (!(await put(file, mine, say))) {
    const other = read(file);
    if (other && isAlive(other.owner)) {
      if (performance.now() - fromMs > (other.ending ? predecessorMs : courtesyMs))
        throw new Fault(
          'stop',
          'already_running',
          `a system runs on ${dataDir} already (process ${other.owner.pid}); end it first, or choose another folder with VANTAGE_DATA`,
        );
      if (!isReported && other.ending) say('waiting for the end of the system that ran before');
      isReported ||= other.ending;
      await delay(100);
      continue;
    }
    if (other?.children.some(isAlive)) {
      say('waiting for the processes that a killed start left behind');
      // They end by themselves, because their IPC channel broke. A signal would cut that short.
      if (!(await allEnded(other.children, 7_000)))
        for (const child of other.children) sendSignal(child, 'SIGKILL');
      await allEnded(other.children, 2_000);
    }
    takeAway(file, other);
  }
  const save = () => files.write(file, JSON.stringify(mine));
  return {
    children(ids) {
      mine = { ...mine, children: [...ids] };
      save();
    },
    ending() {
      mine = { ...mine, ending: true };
      save();
    },
    release() {
      files.stop();
      removeIfAllowed(file);
    },
  };
}

/** Whether the owner of a data folder's lock is alive. */
export function isHeld(dataDir: string): boolean {
  const held = read(path.join(dataDir, 'up.lock'));
  return held !== undefined && isAlive(held.owner);
}

/** Creates the file, whole at once, when there is none; waits for a disk that has no room for it. */
async function put(file: string, mine: Content, say: (text: string) => void): Promise<boolean> {
  for (let isSaid = false; ; isSaid = true) {
    try {
      const isMine = await makeFile(file, JSON.stringify(mine));
      if (isSaid) say('the disk takes files again');
      return isMine;
    } catch (cause) {
      const why = `${file} cannot be written (${messageOf(cause)}): ${diskRemedy(cause)}, or choose another folder with VANTAGE_DATA`;
      // A disk that is mounted read-only stays so until somebody acts; one that is full may have room in a minute.
      if (!isDiskRefusal(cause) || isReadOnly(cause))
        throw new Fault('stop', 'lock_unwritable', why, { cause });
      if (!isSaid) say(`${why}; waiting`);
    }
    await delay(againMs);
  }
}

/**
 * Reads the lock; undefined when it is gone or damaged, so that nobody owns it. Throws a Fault when the file is there
 * and cannot be read.
 */
function read(file: string): Content | undefined {
  let text: string | undefined;
  try {
    text = readIfPresentSync(file);
  } catch (cause) {
    const why = `whether a system runs on ${path.dirname(file)} cannot be found out: ${messageOf(cause)}`;
    throw new Fault('stop', 'lock_unreadable', why, { cause });
  }
  return content.safeParse(parseJson(text)).data;
}

/** Removes a stale lock, unless another start has replaced it meanwhile. */
function takeAway(file: string, stale: Content | undefined): void {
  const now = read(file);
  if (now?.owner.pid === stale?.owner.pid && now?.owner.started === stale?.owner.started)
    rmSync(file, { force: true });
}
