import fc from 'fast-check';
import { expect, test } from 'vitest';
import { afterGapUs, duesBetween, faultOfTurns, lastDueUs, nextDueUs, type Turns } from './schedule.ts';

const turnsArbitrary = fc
  .record({
    intervalMs: fc.integer({ min: 1, max: 50 }),
    phase: fc.nat(),
    turn: fc.nat(),
    turns: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ intervalMs, phase, turn, turns }) => ({
    intervalMs,
    phaseMs: phase % intervalMs,
    turn: turn % turns,
    turns,
  }));
const timeArbitrary = fc.integer({ min: 1_000_000, max: 3_000_000 });

/** The rule as the wire states it, asked millisecond by millisecond (due times are whole milliseconds). */
function isDue({ intervalMs, phaseMs, turn, turns }: Turns, atMs: number): boolean {
  return atMs % intervalMs === phaseMs && Math.floor(atMs / intervalMs) % turns === turn;
}

function oracleNext(turns: Turns, afterUs: number): number {
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
      expect(duesBetween(turns, fromUs, fromUs + lengthUs)).toBe(count);
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
      const alone = { ...turns, turn: 0, turns: 1 };
      const dues = Array.from({ length: turns.turns }, (_, turn) =>
        nextDueUs({ ...turns, turn }, fromUs),
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
    const turns = { intervalMs: 3_600_000, phaseMs: (i * 7919) % 3_600_000, turn: 0, turns: 1 };
    const due = nextDueUs(turns, nowUs - 3_600_000_000);
    return Math.floor(afterGapUs(turns, due, nowUs) / 1_000_000);
  });
  const perSecond = new Map<number, number>();
  for (const second of starts) perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  expect(Math.max(...perSecond.values())).toBeLessThan(250);
  expect(Math.max(...starts)).toBeLessThanOrEqual(nowUs / 1_000_000 + 60);
});

test.each([
  [{ intervalMs: 0, phaseMs: 0, turn: 0, turns: 1 }, 'interval_ms is 0'],
  [{ intervalMs: 10, phaseMs: 10, turn: 0, turns: 1 }, 'phase_ms is not below interval_ms'],
  [{ intervalMs: 10, phaseMs: 0, turn: 0, turns: 0 }, 'turns is 0'],
  [{ intervalMs: 10, phaseMs: 0, turn: 2, turns: 2 }, 'turn is not below turns'],
  [{ intervalMs: 10, phaseMs: 9, turn: 1, turns: 2 }, undefined],
])('turns %j: %s', (turns, fault) => {
  expect(faultOfTurns(turns)).toBe(fault);
});
