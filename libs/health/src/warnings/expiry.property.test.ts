import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Expiry, stepExpiry } from './expiry.ts';

const dayUs = 24 * 3600 * 1_000_000;
const standard = [30, 14, 7, 3, 1];

/**
 * The announcements of one check after the other, each with the day on which it runs and the day on which the
 * certificate ends.
 */
function announced(
  checks: readonly (readonly [day: number, end: number])[],
  warningDays: readonly number[] = standard,
): number[] {
  let state: Expiry | null = null;
  return checks.flatMap(([day, end]) => {
    const step = stepExpiry(state, { notAfterUs: end * dayUs, nowUs: day * dayUs, warningDays });
    state = step.after;
    return step.announces ?? [];
  });
}

const daily = (from: number, to: number, end: number) =>
  Array.from({ length: to - from }, (_, n) => [from + n, end] as const);

test('a certificate that nobody renews is announced 30, 14, 7, 3 and 1 days before its end', () => {
  expect(announced(daily(0, 110, 100))).toEqual([30, 14, 7, 3, 1]);
});

test('the days are those that are set; without any, nothing is announced', () => {
  expect(announced(daily(0, 110, 100), [60, 2])).toEqual([60, 2]);
  expect(announced(daily(0, 110, 100), [])).toEqual([]);
});

test('days that are set later are announced from then on', () => {
  const found = { notAfterUs: 100 * dayUs, nowUs: 80 * dayUs };
  const first = stepExpiry(null, { ...found, warningDays: standard });
  expect(first.announces).toBe(30);
  expect(stepExpiry(first.after, { ...found, warningDays: [25, 20] }).announces).toBe(20);
  expect(stepExpiry(first.after, { ...found, warningDays: [] })).toEqual({ after: null, announces: null });
});

test('a device that is found late gets the number that holds', () => {
  expect(announced(daily(95, 98, 100))).toEqual([7, 3]);
  expect(announced([[200, 100]])).toEqual([1]);
});

test('a renewed certificate begins anew after three checks', () => {
  expect(announced([...daily(80, 90, 100), ...daily(90, 180, 190)])).toEqual([30, 14, 30, 14]);
});

test('of two servers with two certificates the one that ends first counts', () => {
  const both = daily(60, 100, 100).flatMap(([day, end]) => [
    [day, end] as const,
    [day, end + 400] as const,
    [day, end + 400] as const,
  ]);
  expect(announced(both)).toEqual([30, 14, 7, 3, 1]);
});

test('property: one certificate is announced at most once at each number of days, in falling sequence, and on time', () => {
  const end = 100;
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 120, noNaN: true }), { maxLength: 40 }), (days) => {
      const sorted = days.toSorted((a, b) => a - b);
      const said = announced(sorted.map((day) => [day, end] as const));
      expect(said).toEqual([...new Set(said)].sort((a, b) => b - a));
      const last = sorted.at(-1) ?? 0;
      const least = standard.findLast((limit) => end * dayUs - last * dayUs <= limit * dayUs);
      expect(said.at(-1)).toBe(least);
    }),
  );
});

const announcedBefore = { notAfterUs: 100 * dayUs, days: 14, laterInRow: 0 };
const laterTwice = { ...announcedBefore, laterInRow: 2 };

test.each<[string, Expiry | null, day: number, end: number, Expiry | null, number | null]>([
  ['nothing said, and more than 30 days left', null, 69, 100, null, null],
  ['nothing said, and 30 days left', null, 70, 100, { ...announcedBefore, days: 30 }, 30],
  ['the same end, and no lesser number', announcedBefore, 90, 100, announcedBefore, null],
  ['the same end, and a lesser number', announcedBefore, 93, 100, { ...announcedBefore, days: 7 }, 7],
  ['an earlier end', announcedBefore, 88, 99, { ...announcedBefore, notAfterUs: 99 * dayUs }, null],
  ['the same end after later ones', laterTwice, 90, 100, announcedBefore, null],
  ['a later end, once', announcedBefore, 90, 400, { ...announcedBefore, laterInRow: 1 }, null],
  ['a later end, twice', { ...announcedBefore, laterInRow: 1 }, 90, 400, laterTwice, null],
  ['a later end for the third time', laterTwice, 90, 400, null, null],
  [
    'a later end for the third time that is near',
    laterTwice,
    90,
    101,
    { ...announcedBefore, notAfterUs: 101 * dayUs },
    14,
  ],
])('a check after %s', (_name, before, day, end, after, announces) => {
  const step = stepExpiry(before, { notAfterUs: end * dayUs, nowUs: day * dayUs, warningDays: standard });
  expect(step).toEqual({ after, announces });
  // The very same state is not stored again.
  if (before === after) expect(step.after).toBe(before);
});
