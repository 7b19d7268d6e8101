import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOpening, type StepHours } from './opening-hours.ts';
import { type Weekday, weekdays } from './schedule.ts';

const minuteUs = 60_000_000;
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/Sao_Paulo',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
] as const;

function at(text: string): number {
  return Date.parse(text) * 1_000;
}

/** The time that a wall clock of the zone shows. */
function createWallClock(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  return (us: number) => {
    const part = Object.fromEntries(format.formatToParts(us / 1_000).map(({ type, value }) => [type, value]));
    const day = weekdays.find((one) => one === part['weekday']) ?? 'Mon';
    return { day, time: `${part['hour']}:${part['minute']}` };
  };
}

/** Is the step open by what people read on the wall? */
function isOpenByReading({ days, from, to }: StepHours, { day, time }: { day: Weekday; time: string }) {
  const named = days ?? weekdays;
  const dayBefore = weekdays[(weekdays.indexOf(day) + 6) % 7] ?? 'Mon';
  const [begin, end] = [from ?? '00:00', to ?? '24:00'];
  if (begin < end) return named.includes(day) && time >= begin && time < end;
  return (named.includes(day) && time >= begin) || (named.includes(dayBefore) && time < end);
}

const clockTime = fc
  .integer({ min: 0, max: 1_439 })
  .map((m) => `${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}`);
const hours: fc.Arbitrary<StepHours> = fc.record({
  days: fc.option(fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1 })),
  from: fc.option(clockTime),
  to: fc.option(clockTime),
});

test('a step opens at the first minute at which the wall clock shows one of its hours, 300 cases in six zones 2026–2037', () => {
  const moment = fc.integer({ min: at('2026-01-01') / minuteUs, max: at('2038-01-01') / minuteUs });
  fc.assert(
    fc.property(fc.constantFrom(...zones), hours, moment, (zone, step, minute) => {
      const wall = createWallClock(zone);
      const found = createOpening(zone).next(step, minute * minuteUs) ?? Number.NaN;
      expect(isOpenByReading(step, wall(found))).toBe(true);
      // Every minute of short waits, and samples of long ones.
      const stride = Math.max(1, Math.ceil((found / minuteUs - minute) / 500));
      for (let us = minute * minuteUs; us < found; us += minuteUs * stride)
        expect(isOpenByReading(step, wall(us)), new Date(us / 1_000).toISOString()).toBe(false);
    }),
    { numRuns: 300 },
  );
});

test.each(zones)(
  '%s: on every day of 2026–2037 a night from 22:00 to 06:30 opens and closes by the wall clock',
  (zone) => {
    const wall = createWallClock(zone);
    const opening = createOpening(zone);
    const night: StepHours = { days: null, from: '22:00', to: '06:30' };
    const day: StepHours = { days: null, from: '06:30', to: '22:00' };
    let us = opening.next(day, at('2026-01-01')) ?? Number.NaN;
    while (us < at('2038-01-01')) {
      const from = opening.next(night, us) ?? Number.NaN;
      const to = opening.next(day, from) ?? Number.NaN;
      expect([wall(from).time, wall(to).time]).toEqual(['22:00', '06:30']);
      // A night has 8.5 hours, and one with a change of the clocks up to an hour more or less.
      expect(Math.abs((to - from) / minuteUs - 510)).toBeLessThanOrEqual(60);
      us = to;
    }
  },
);

test.each<[string, StepHours, string, string]>([
  [
    'a skipped From opens after the change',
    { days: null, from: '02:30', to: '04:00' },
    '2026-03-29T00:00:00Z',
    '2026-03-29T01:00:00Z',
  ],
  [
    'an hour that is repeated is open twice',
    { days: null, from: '02:15', to: '02:45' },
    '2026-10-25T00:45:00Z',
    '2026-10-25T01:15:00Z',
  ],
  [
    'the day of From counts after midnight too',
    { days: ['Fri'], from: '22:00', to: '06:00' },
    '2026-06-06T03:59:00Z',
    '2026-06-06T03:59:00Z',
  ],
  [
    'the day of To alone does not count',
    { days: ['Fri'], from: '22:00', to: '06:00' },
    '2026-06-05T02:00:00Z',
    '2026-06-05T20:00:00Z',
  ],
  [
    'days without hours are open from midnight',
    { days: ['Mon'], from: null, to: null },
    '2026-06-06T03:59:00Z',
    '2026-06-07T22:00:00Z',
  ],
  [
    'equal From and To are a whole day from there',
    { days: ['Mon'], from: '08:00', to: '08:00' },
    '2026-06-09T05:59:00Z',
    '2026-06-09T05:59:00Z',
  ],
  [
    'the last minute before From opens with it',
    { days: null, from: '08:00', to: '09:00' },
    '2026-06-09T05:59:30Z',
    '2026-06-09T06:00:00Z',
  ],
  [
    'seconds within an open minute stay',
    { days: null, from: '08:00', to: '09:00' },
    '2026-06-09T06:00:59Z',
    '2026-06-09T06:00:59Z',
  ],
])('in Berlin: %s', (_name, step, from, opens) => {
  expect(createOpening('Europe/Berlin').next(step, at(from))).toBe(at(opens));
});

test('a step without days never opens', () => {
  expect(createOpening('UTC').next({ days: [], from: null, to: null }, 0)).toBeUndefined();
});
