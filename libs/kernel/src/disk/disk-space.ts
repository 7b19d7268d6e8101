import { statfs } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';

export interface DiskSpace {
  /** Available to users other than root. */
  readonly freeBytes: number;
  readonly totalBytes: number;
}

/** `full`: work that can wait must stop writing. */
export type Room = 'enough' | 'low' | 'full';

/** The room that a program needs on its disk. */
export interface RoomNeeds {
  /** With less the disk is low. On a large disk the limit is 5 %, but at most 2 GiB. */
  readonly lowBytes: number;
  /** With less the disk is full. */
  readonly fullBytes: number;
}

const mebibyte = 1024 * 1024;
const shareOfDisk = 0.05;
const maxLowBytes = 2048 * mebibyte;
/** The room gets better at the limit times this factor, so that it does not flap. */
const margin = 1.1;

/**
 * The needs of the two programs: PostgreSQL's write-ahead log grows in segments of 16 MiB; an agent stores only its
 * results.
 */
export const roomNeeds = {
  controller: { lowBytes: 512 * mebibyte, fullBytes: 64 * mebibyte },
  agent: { lowBytes: 64 * mebibyte, fullBytes: mebibyte },
} as const satisfies Readonly<Record<string, RoomNeeds>>;

/** With less free bytes than this, the disk is low. */
export function lowLimit({ totalBytes }: Pick<DiskSpace, 'totalBytes'>, { lowBytes }: RoomNeeds): number {
  return Math.max(lowBytes, Math.min(shareOfDisk * totalBytes, maxLowBytes));
}

/** The room after a measurement. Pure. */
export function judgeRoom(before: Room, space: DiskSpace, needs: RoomNeeds): Room {
  const { freeBytes } = space;
  const isBelow = (limit: number, was: boolean) => freeBytes < limit * (was ? margin : 1);
  if (isBelow(needs.fullBytes, before === 'full')) return 'full';
  return isBelow(lowLimit(space, needs), before !== 'enough') ? 'low' : 'enough';
}

/** The space of a folder's file system; undefined if it cannot be read. */
export async function readSpace(folder: string): Promise<DiskSpace | undefined> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined || found.blocks === 0) return undefined;
  return { freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize };
}

/** The problem of a folder's disk, for people; undefined: there is enough room. */
export function roomProblem(folder: string, room: Room, space: DiskSpace | undefined): string | undefined {
  if (room === 'enough' || space === undefined) return undefined;
  return `the disk of ${folder} ${room === 'full' ? 'is full' : 'is nearly full'}: ${inMib(space.freeBytes)} of ${inMib(space.totalBytes)} MiB are free`;
}

export interface DiskWatch {
  /** The last measurement; undefined: it cannot be read. */
  readonly space: DiskSpace | undefined;
  readonly room: Room;
  /** For people; undefined: there is enough room. */
  readonly problem: string | undefined;
  /** Measures now, and logs a change. */
  check(): Promise<void>;
  /** Checks every 5 s until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const everyMs = 5_000;

/** Nothing is measured before `check` or `run`. `effect` names the consequence of a full disk, for the log. */
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
