import { statfs } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';

/** The room of a file system, bytes. */
export interface DiskSpace {
  /** The free bytes for a user who is not root. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** How much room there is. `full`: what can wait must not write any more. */
export type Room = 'enough' | 'low' | 'full';

/** The room that a program needs on its disk. */
export interface RoomNeeds {
  /** Less is low on every disk; on a larger one it is low below 5 %, or below 2 GiB. */
  readonly lowBytes: number;
  /** Less is full. */
  readonly fullBytes: number;
}

const mebibyte = 1024 * 1024;
const shareOfDisk = 0.05;
const mostLowBytes = 2048 * mebibyte;
/** Room that comes back counts when there is so much more than the limit, so that the state does not flutter. */
const margin = 1.1;

/**
 * The rooms that the two programs need: PostgreSQL's log of changes grows in pieces of 16 MiB; an agent keeps its
 * results.
 */
export const roomNeeds = {
  controller: { lowBytes: 512 * mebibyte, fullBytes: 64 * mebibyte },
  agent: { lowBytes: 64 * mebibyte, fullBytes: mebibyte },
} as const satisfies Readonly<Record<string, RoomNeeds>>;

/** Below this a disk is low, bytes. */
export function lowLimit({ totalBytes }: Pick<DiskSpace, 'totalBytes'>, { lowBytes }: RoomNeeds): number {
  return Math.max(lowBytes, Math.min(shareOfDisk * totalBytes, mostLowBytes));
}

/** The room after a measurement; it gets better only with a margin. Pure. */
export function judgeRoom(before: Room, space: DiskSpace, needs: RoomNeeds): Room {
  const { freeBytes } = space;
  const isBelow = (limit: number, was: boolean) => freeBytes < limit * (was ? margin : 1);
  if (isBelow(needs.fullBytes, before === 'full')) return 'full';
  return isBelow(lowLimit(space, needs), before !== 'enough') ? 'low' : 'enough';
}

/** The room of a folder's file system; undefined where it cannot be found out. */
export async function readSpace(folder: string): Promise<DiskSpace | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined || found.blocks === 0) return undefined;
  return { freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize };
}

/** The fault of the room of a folder, for people; undefined: none. */
export function roomProblem(folder: string, room: Room, space: DiskSpace | undefined): string | undefined {
  if (room === 'enough' || space === undefined) return undefined;
  return `the disk of ${folder} ${room === 'full' ? 'is full' : 'is nearly full'}: ${inMib(space.freeBytes)} of ${inMib(space.totalBytes)} MiB are free`;
}

/** Watches the disk of a folder. */
export interface DiskWatch {
  /** As last measured; undefined: it cannot be found out. */
  readonly space: DiskSpace | undefined;
  readonly room: Room;
  /** For people; undefined: there is room enough. */
  readonly problem: string | undefined;
  /** Measures now, and logs a change. */
  check(): Promise<void>;
  /** Checks every 5 s until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 5_000;

/**
 * Creates the watch; nothing is measured before `check` or `run`. `effect` says what a full disk means, for the log.
 */
export function createDiskWatch(deps: {
  readonly folder: string;
  readonly needs: RoomNeeds;
  readonly effect: string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
  readonly read?: (folder: string) => Promise<DiskSpace | undefined>;
}): DiskWatch {
  const { folder, needs, clock, log, read = readSpace } = deps;
  let room: Room = 'enough';
  let space: DiskSpace | undefined;
  const check = async () => {
    space = await read(folder);
    const next = space === undefined ? room : judgeRoom(room, space, needs);
    if (next === room) return;
    room = next;
    const facts = { folder, freeBytes: space?.freeBytes, totalBytes: space?.totalBytes };
    if (next === 'enough') log.info(facts, 'the disk has room again');
    else if (next === 'low') log.warn(facts, 'the disk is nearly full: make room, or give it more');
    else log.error({ ...facts, effect: deps.effect }, 'the disk is full: make room');
  };
  return {
    get space() {
      return space;
    },
    get room() {
      return room;
    },
    get problem() {
      return roomProblem(folder, room, space);
    },
    check,
    async run(signal) {
      while (!signal.aborted) {
        await check();
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}

function inMib(bytes: number): number {
  return Math.floor(bytes / mebibyte);
}
