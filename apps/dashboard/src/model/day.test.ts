import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Day, dayAfter, dayParts, dayUntil, partMs, partOf, runsOfDay } from './day.ts';

const letterOf = { Up: 'U', Down: 'D', Maint: 'M', Unknown: '?' } as const;
const status = fc.constantFrom('Up', 'Down', 'Maint', 'Unknown');

/** The worst status of each part, second by second. */
function oracle(changes: readonly { at: number; status: keyof typeof letterOf }[], until: number): string {
  const last = partOf(until);
  return Array.from({ length: dayParts }, (_, index) => {
    const part = last - dayParts + 1 + index;
    const [from, to] = [part * partMs, Math.min((part + 1) * partMs - 1, until)];
    const within = changes.filter(({ at }) => at > from && at <= to).map((change) => change.status);
    const before = changes.findLast(({ at }) => at <= from)?.status ?? 'Up';
    const held = [before, ...within].map((each) => letterOf[each]);
    return ['D', '?', 'M', 'U'].find((letter) => held.some((each) => each === letter)) ?? 'U';
  }).join('');
}

test('a day that is carried on by events is the one that the API would tell', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ after: fc.integer({ min: 1, max: 5 * partMs }), status }), { maxLength: 30 }),
      fc.integer({ min: 0, max: 80 * partMs }),
      (steps, rest) => {
        let at = 1_000 * partMs + 1;
        let day: Day = { letters: 'U'.repeat(dayParts), part: partOf(at) };
        let before: keyof typeof letterOf = 'Up';
        const changes: { at: number; status: keyof typeof letterOf }[] = [];
        for (const step of steps) {
          at += step.after;
          if (at % partMs === 0) at += 1;
          day = dayAfter(day, { at, before, status: step.status });
          before = step.status;
          changes.push({ at, status: before });
        }
        const until = at + rest;
        expect(dayUntil(day, partOf(until), before).letters).toBe(oracle(changes, until));
      },
    ),
  );
});

test('what was Unknown before anything was known is left out, and an Unknown that lasts is not', () => {
  expect(runsOfDay(`${'?'.repeat(70)}UD`, 'Down', 71)).toEqual([
    { at: 70, length: 1, status: 'Up' },
    { at: 71, length: 1, status: 'Down' },
  ]);
  expect(runsOfDay('?'.repeat(72), 'Unknown', -9)).toEqual([{ at: 0, length: 72, status: 'Unknown' }]);
  expect(runsOfDay('?'.repeat(72), 'Up', 71)).toEqual([{ at: 71, length: 1, status: 'Up' }]);
  // It was added twenty minutes ago, and nobody has observed it since. The clock of a server may be a little ahead.
  expect(runsOfDay('?'.repeat(72), 'Unknown', 70)).toEqual([{ at: 70, length: 2, status: 'Unknown' }]);
  expect(runsOfDay('?'.repeat(72), 'Unknown', 72)).toEqual([{ at: 71, length: 1, status: 'Unknown' }]);
});
