import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextCheckWithin } from './next-check.ts';

const device = { Enabled: true, Status: 'Up', Frequency: 1, FrequencySeconds: null };
const lastAt = '2026-02-25T10:00:00.000+01:00';
const at = (seconds: number) => Date.parse(lastAt) + seconds * 1_000;

test.each([
  ['after 17 s of a minute', device, lastAt, 17, 43],
  ['an interval of seconds', { ...device, FrequencySeconds: 5 }, lastAt, 2, 3],
  ['Down', { ...device, Status: 'Down' }, lastAt, 59.5, 1],
  ['overdue', device, lastAt, 61, undefined],
  ['the clock of this computer is behind', device, lastAt, -90, undefined],
  ['paused', { ...device, Enabled: false }, lastAt, 1, undefined],
  ['not observed', { ...device, Status: 'Unknown' }, lastAt, 1, undefined],
  ['never checked', device, undefined, 1, undefined],
])('the next check of a device: %s', (_, given, last, seconds, within) => {
  expect(nextCheckWithin(given, last, at(seconds))).toBe(within);
});

test('what is said is never longer than the interval, and counts down to one second', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 5, max: 3_600 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (interval, part) => {
        const given = { ...device, FrequencySeconds: interval };
        const within = nextCheckWithin(given, lastAt, at(part * interval)) ?? 0;
        expect(within).toBeGreaterThanOrEqual(Math.floor((1 - part) * interval));
        expect(within).toBeLessThanOrEqual(interval);
      },
    ),
  );
});
