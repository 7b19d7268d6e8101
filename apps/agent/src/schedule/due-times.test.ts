import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterGapUs,
  dueTimesBetween,
  isSameRotation,
  lastDueUs,
  nextDueUs,
  type Rotation,
  rotationFault,
} from './due-times.ts';

const turnsArbitrary = fc
  .record({
    intervalMs: fc.integer({ min: 1, max: 50 }),
    phase: fc.nat(),
    turn: fc.nat(),
    rotationSize: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ intervalMs, phase, turn, rotationSize }) => ({
    intervalMs,
    scheduleOffsetMs: phase % intervalMs,
    rotationIndex: turn % rotationSize,
    rotationSize,
  }));
const timeArbitrary = fc.integer({ min: 1_000_000, max: 3_000_000 });

/** The rule as the wire states it, asked millisecond by millisecond (due times are whole milliseconds). */
function isDue(
  { intervalMs, scheduleOffsetMs, rotationIndex, rotationSize }: Rotation,
  atMs: number,
): boolean {
  return (
    atMs % intervalMs === scheduleOffsetMs && Math.floor(atMs / intervalMs) % rotationSize === rotationIndex
  );
}

function oracleNext(rotation: Rotation, afterUs: number): number {
  for (let ms = Math.floor(afterUs / 1000); ; ms += 1)
    if (ms * 1000 > afterUs && isDue(rotation, ms)) return ms * 1000;
}

test('the next due time is the first one by the definition', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, (rotation, afterUs) => {
      expect(nextDueUs(rotation, afterUs)).toBe(oracleNext(rotation, afterUs));
    }),
  );
});

test('due times between two moments are counted by the definition', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, fc.nat(500_000), (rotation, fromUs, lengthUs) => {
      let count = 0;
      for (let at = oracleNext(rotation, fromUs); at <= fromUs + lengthUs; at = oracleNext(rotation, at))
        count += 1;
      expect(dueTimesBetween(rotation, fromUs, fromUs + lengthUs)).toBe(count);
    }),
  );
});

test('the last due time and the next one enclose any moment', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, (rotation, atUs) => {
      const last = lastDueUs(rotation, atUs);
      expect(last).toBeLessThanOrEqual(atUs);
      expect(nextDueUs(rotation, last)).toBe(nextDueUs(rotation, atUs));
    }),
  );
});

test('Locations in rotation leave no interval out and check none twice', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, (rotation, fromUs) => {
      const alone = { ...rotation, rotationIndex: 0, rotationSize: 1 };
      const dues = Array.from({ length: rotation.rotationSize }, (_, rotationIndex) =>
        nextDueUs({ ...rotation, rotationIndex }, fromUs),
      ).sort((a, b) => a - b);
      let at = fromUs;
      for (const due of dues) {
        at = nextDueUs(alone, at);
        expect(due).toBe(at);
      }
    }),
  );
});

test('after an hour of sleep 10,000 devices are not checked in one burst', () => {
  const nowUs = 1_700_000_000_000_000;
  const starts = Array.from({ length: 10_000 }, (_, i) => {
    const rotation = {
      intervalMs: 3_600_000,
      scheduleOffsetMs: (i * 7919) % 3_600_000,
      rotationIndex: 0,
      rotationSize: 1,
    };
    const due = nextDueUs(rotation, nowUs - 3_600_000_000);
    return Math.floor(afterGapUs(rotation, due, nowUs) / 1_000_000);
  });
  const perSecond = new Map<number, number>();
  for (const second of starts) perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  expect(Math.max(...perSecond.values())).toBeLessThan(250);
  expect(Math.max(...starts)).toBeLessThanOrEqual(nowUs / 1_000_000 + 60);
});

test.each([
  [{ intervalMs: 0, scheduleOffsetMs: 0, rotationIndex: 0, rotationSize: 1 }, 'interval_ms is 0'],
  [
    { intervalMs: 10, scheduleOffsetMs: 10, rotationIndex: 0, rotationSize: 1 },
    'schedule_offset_ms is not below interval_ms',
  ],
  [{ intervalMs: 10, scheduleOffsetMs: 0, rotationIndex: 0, rotationSize: 0 }, 'rotation_size is 0'],
  [
    { intervalMs: 10, scheduleOffsetMs: 0, rotationIndex: 2, rotationSize: 2 },
    'rotation_index is not below rotation_size',
  ],
  [{ intervalMs: 10, scheduleOffsetMs: 9, rotationIndex: 1, rotationSize: 2 }, undefined],
  [{ intervalMs: 1, scheduleOffsetMs: 0, rotationIndex: 0, rotationSize: 1 }, undefined],
])('rotation %j: %s', (rotation, fault) => {
  expect(rotationFault(rotation)).toBe(fault);
});

test('two rotations are the same when all their facts are', () => {
  const rotation = { intervalMs: 10, scheduleOffsetMs: 2, rotationIndex: 1, rotationSize: 3 };
  expect(isSameRotation(rotation, { ...rotation })).toBe(true);
  for (const [key, value] of Object.entries(rotation))
    expect(isSameRotation(rotation, { ...rotation, [key]: value + 1 }), key).toBe(false);
});

test.each([
  // interval, schedule offset, due time, now; expected: the next check, all in seconds after midnight
  ['what is due now waits for the next due time within a minute', 60, 0, 0, 0, 60],
  ['what is due now is checked within a minute where the next due time is far off', 3600, 7, 7, 7, 14],
  ['what fell due in the gap is checked within a minute', 3600, 3599, -1, 0, 59],
  ['what did not fall due in the gap keeps its due time', 3600, 7, 7, 6, 7],
])('after a gap, %s', (_what, intervalS, offsetS, dueS, nowS, nextS) => {
  const midnightUs = 1_699_920_000_000_000;
  const us = (seconds: number) => midnightUs + seconds * 1_000_000;
  const rotation = {
    intervalMs: intervalS * 1000,
    scheduleOffsetMs: offsetS * 1000,
    rotationIndex: 0,
    rotationSize: 1,
  };
  expect(afterGapUs(rotation, us(dueS), us(nowS))).toBe(us(nextS));
});
