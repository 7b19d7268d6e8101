import { linkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault, messageOf, readIfPresentSync } from '@vantage/kernel';
import { z } from 'zod';
import { keepFile } from './kept-file.ts';
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
/** A start waits this long for a predecessor that shows no sign of ending, because somebody may just have asked it to end. */
const courtesyMs = 1_500;

/**
 * Takes the lock of a data folder: the file `up.lock` with the owner's pid and start time, so that a start recognises the lock of a process that
 * was killed. Waits for a predecessor that is ending, and for the processes that a killed one left running. Throws a Fault when another
 * system runs there.
 */
export async function lockData(dataDir: string, say: (text: string) => void): Promise<DataLock> {
  const file = path.join(dataDir, 'up.lock');
  const owner = identify(process.pid);
  let mine: Content = { owner, ending: false, children: [] };
  const fromMs = performance.now();
  let isReported = false;
  while (!put(file, mine)) {
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
  const kept = keepFile(file, say);
  const save = () => kept.write(JSON.stringify(mine));
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
      kept.stop();
      rmSync(file, { force: true });
    },
  };
}

/** Whether the owner of a data folder's lock is alive. */
export function isHeld(dataDir: string): boolean {
  const held = read(path.join(dataDir, 'up.lock'));
  return held !== undefined && isAlive(held.owner);
}

/** Makes the file, whole at once, when there is none. */
function put(file: string, mine: Content): boolean {
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, JSON.stringify(mine), { mode: 0o600 });
    linkSync(part, file);
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false;
    const why = `${file} cannot be written (${messageOf(cause)}): make room on its disk, or choose another folder with VANTAGE_DATA`;
    throw new Fault('stop', 'lock_unwritable', why, { cause });
  } finally {
    rmSync(part, { force: true });
  }
}

/** Reads the lock; undefined when it is gone or damaged, so that nobody owns it. Throws a Fault when the file is there and cannot be read. */
function read(file: string): Content | undefined {
  let text: string | undefined;
  try {
    text = readIfPresentSync(file);
  } catch (cause) {
    const why = `whether a system runs on ${path.dirname(file)} cannot be found out: ${messageOf(cause)}`;
    throw new Fault('stop', 'lock_unreadable', why, { cause });
  }
  try {
    return text === undefined ? undefined : content.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Removes a stale lock, unless another start has replaced it meanwhile. */
function takeAway(file: string, stale: Content | undefined): void {
  const now = read(file);
  if (now?.owner.pid === stale?.owner.pid && now?.owner.started === stale?.owner.started)
    rmSync(file, { force: true });
}
