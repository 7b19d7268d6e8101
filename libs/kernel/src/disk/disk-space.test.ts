import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createLog } from '../log.ts';
import {
  createDiskWatch,
  type DiskSpace,
  judgeRoom,
  lowLimit,
  type Room,
  readSpace,
  roomNeeds,
} from './disk-space.ts';

const mebibyte = 1024 * 1024;
const needs = roomNeeds.controller;
const totals = fc.integer({ min: 1, max: 4_000_000 }).map((mib) => mib * mebibyte);

test.each<[totalMib: number, limitMib: number]>([
  [300, 512],
  [20 * 1024, 1024],
  [1024 * 1024, 2048],
])('of %i MiB less than %i MiB are low', (total, limit) => {
  expect(lowLimit({ totalBytes: total * mebibyte }, needs)).toBe(limit * mebibyte);
});

test('the room gets worse at a limit, and better only a tenth above it', () => {
  const byFree = (freeBytes: number, limit: number, factor: number): Room => {
    if (freeBytes < needs.fullBytes * factor) return 'full';
    return freeBytes < limit * factor ? 'low' : 'enough';
  };
  const rank: Readonly<Record<Room, number>> = { full: 0, low: 1, enough: 2 };
  const rooms = fc.constantFrom<Room>('full', 'low', 'enough');
  const shares = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(rooms, totals, shares, (before, totalBytes, share) => {
      const freeBytes = Math.floor(totalBytes * share ** 4);
      const limit = lowLimit({ totalBytes }, needs);
      const [plain, careful] = [byFree(freeBytes, limit, 1), byFree(freeBytes, limit, 1.1)];
      const after = judgeRoom(before, { freeBytes, totalBytes }, needs);
      const expected = rank[plain] < rank[before] ? plain : rank[careful] > rank[before] ? careful : before;
      expect(after).toBe(expected);
    }),
  );
});

test('each change of the room is one line; a disk that tells nothing changes nothing', async () => {
  const lines: string[] = [];
  const log = createLog('test', 'info', { write: (line) => void lines.push(line) });
  const frees: (number | undefined)[] = [9000, 900, 800, 10, undefined, 5, 66, 900, 9000];
  const watch = createDiskWatch({
    folder: '/data',
    needs,
    effect: 'it waits',
    clock: systemClock,
    log,
    read: async (): Promise<DiskSpace | undefined> => {
      const free = frees.shift();
      return free === undefined ? undefined : { freeBytes: free * mebibyte, totalBytes: 20_000 * mebibyte };
    },
  });
  const seen: Room[] = [];
  while (frees.length > 0) {
    await watch.check();
    seen.push(watch.room);
  }
  expect(seen).toEqual(['enough', 'low', 'low', 'full', 'full', 'full', 'full', 'low', 'enough']);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { level: 40, msg: 'the disk is nearly full: make room, or give it more', freeBytes: 900 * mebibyte },
    { level: 50, msg: 'the disk is full: make room', effect: 'it waits' },
    { level: 40, msg: 'the disk is nearly full: make room, or give it more' },
    { level: 30, msg: 'the disk has room again' },
  ]);
});

test('the room of a folder is the one of its disk; a folder that is missing has none', async () => {
  const space = await readSpace(import.meta.dirname);
  expect(space?.totalBytes).toBeGreaterThan(space?.freeBytes ?? Number.POSITIVE_INFINITY);
  expect(await readSpace('/no such folder')).toBeUndefined();
});
