import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  afterGapUs,
  dueTimesBetween,
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

function oracleNext(turns: Rotation, afterUs: number): number {
  for (let ms = Math.floor(afterUs / 1000); ; ms += 1)
    if (ms * 1000 > afterUs && isDue(turns, ms)) return ms * 1000;
}

test('the next due time is the first one that the rule names', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, (turns, afterUs) => {
      expect(nextDueUs(turns, afterUs)).toBe(oracleNext(turns, afterUs));
    }),
  );
});

test('due times between two moments are counted as the rule names them', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, fc.nat(500_000), (turns, fromUs, lengthUs) => {
      let count = 0;
      for (let at = oracleNext(turns, fromUs); at <= fromUs + lengthUs; at = oracleNext(turns, at))
        count += 1;
      expect(dueTimesBetween(turns, fromUs, fromUs + lengthUs)).toBe(count);
    }),
  );
});

test('the last due time and the next one enclose any moment', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, (turns, atUs) => {
      const last = lastDueUs(turns, atUs);
      expect(last).toBeLessThanOrEqual(atUs);
      expect(nextDueUs(turns, last)).toBe(nextDueUs(turns, atUs));
    }),
  );
});

test('Locations in turn leave no interval out and take none twice', () => {
  fc.assert(
    fc.property(turnsArbitrary, timeArbitrary, (turns, fromUs) => {
      const alone = { ...turns, rotationIndex: 0, rotationSize: 1 };
      const dues = Array.from({ length: turns.rotationSize }, (_, rotationIndex) =>
        nextDueUs({ ...turns, rotationIndex }, fromUs),
      ).sort((a, b) => a - b);
      let at = fromUs;
      for (const due of dues) {
        at = nextDueUs(alone, at);
        expect(due).toBe(at);
      }
    }),
  );
});

test('after an hour of sleep 10,000 devices are not looked at in one burst', () => {
  const nowUs = 1_700_000_000_000_000;
  const starts = Array.from({ length: 10_000 }, (_, i) => {
    const turns = {
      intervalMs: 3_600_000,
      scheduleOffsetMs: (i * 7919) % 3_600_000,
      rotationIndex: 0,
      rotationSize: 1,
    };
    const due = nextDueUs(turns, nowUs - 3_600_000_000);
    return Math.floor(afterGapUs(turns, due, nowUs) / 1_000_000);
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
])('turns %j: %s', (turns, fault) => {
  expect(rotationFault(turns)).toBe(fault);
});
