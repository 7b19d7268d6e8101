import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Hours, weekdays, weekMinuteOf, weekMinutes, weekSpans } from './week-hours.ts';

const time = fc.oneof(
  fc.constant(''),
  fc
    .integer({ min: 0, max: 1_439 })
    .map(
      (minute) =>
        `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`,
    ),
);
const hours = fc.record({ days: fc.subarray([...weekdays]), from: time, to: time });
const minutesOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

/** The rule of the API, minute by minute. */
function mayNotify({ days, from, to }: Hours, minute: number): boolean {
  const begin = from === '' ? 0 : minutesOf(from);
  const end = to === '' ? 1_440 : minutesOf(to);
  const has = (day: number) => days.length === 0 || days.some((name) => name === weekdays[(day + 7) % 7]);
  const [day, ofDay] = [Math.floor(minute / 1_440), minute % 1_440];
  if (end > begin) return has(day) && ofDay >= begin && ofDay < end;
  return (has(day) && ofDay >= begin) || (has(day - 1) && ofDay < end);
}

test('the spans of a week hold exactly the minutes in which the step may notify', () => {
  fc.assert(
    fc.property(hours, fc.integer({ min: 0, max: weekMinutes - 1 }), (given, minute) => {
      fc.pre(given.from === '' || given.to === '' || given.from !== given.to);
      const spans = weekSpans(given);
      expect(spans.some(({ from, to }) => from <= minute && minute < to)).toBe(mayNotify(given, minute));
      for (const [at, { from, to }] of spans.entries()) {
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThan(spans[at - 1]?.to ?? -1);
        expect(to).toBeLessThanOrEqual(weekMinutes);
      }
    }),
  );
});

test.each([
  ['2026-11-23T00:00', 0],
  ['2026-11-29T03:10', 6 * 1_440 + 190],
])('%s is minute %i of its week', (wall, minute) => {
  expect(weekMinuteOf(wall)).toBe(minute);
});

test('hours past the midnight of Sunday go on at the begin of the week', () => {
  expect(weekSpans({ days: ['Sun'], from: '22:00', to: '06:00' })).toEqual([
    { from: 0, to: 360 },
    { from: weekMinutes - 120, to: weekMinutes },
  ]);
});
