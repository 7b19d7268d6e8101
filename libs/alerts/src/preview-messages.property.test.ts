import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOpening } from './opening-hours.ts';
import { previewMessages } from './preview-messages.ts';
import type { ScheduleStep } from './schedule.ts';

const minute = 60_000_000;
const hour = 60 * minute;
/** A Monday, 00:00 UTC. */
const monday = Date.UTC(2026, 2, 2) * 1000;
const step = (some: Partial<ScheduleStep>): ScheduleStep => ({
  delayMinutes: 0,
  contactIds: ['noc'],
  days: null,
  from: null,
  to: null,
  repeatMinutes: null,
  severities: null,
  ...some,
});
const preview = (steps: readonly ScheduleStep[], more: Partial<Parameters<typeof previewMessages>[0]> = {}) =>
  previewMessages({
    schedule: { timezone: 'UTC', steps },
    kind: 'device.down',
    severity: 'critical',
    atUs: monday,
    untilUs: monday + 7 * 24 * hour,
    maxMessages: 200,
    ...more,
  });

test('steps at one moment are one message in which each contact stands once', () => {
  const found = preview([step({}), step({ contactIds: ['noc', 'boss'] }), step({ delayMinutes: 5 })]);
  expect(found).toEqual([
    { atUs: monday, steps: [0, 1], contactIds: ['noc', 'boss'], isRepeat: false },
    { atUs: monday + 5 * minute, steps: [2], contactIds: ['noc'], isRepeat: false },
  ]);
});

test('hours put a message off, and repeats go on until the end or the limit', () => {
  const office = step({ from: '08:00', to: '18:00', repeatMinutes: 240 });
  expect(
    preview([office])
      .slice(0, 5)
      .map(({ atUs, isRepeat }) => [(atUs - monday) / hour, isRepeat]),
  ).toEqual([
    [8, false],
    [12, true],
    [16, true],
    [32, true],
    [36, true],
  ]);
  expect(preview([step({ repeatMinutes: 1 })])).toHaveLength(200);
  expect(preview([step({ repeatMinutes: 24 * 60 })])).toHaveLength(7);
});

test('a kind about one moment is not repeated, one that can wait waits for the office, another severity gets nothing', () => {
  const again = step({ repeatMinutes: 60 });
  expect(preview([again], { kind: 'agent.fenced' })).toHaveLength(1);
  expect(preview([again], { kind: 'contact.failing' }).map(({ atUs }) => atUs)).toEqual([monday + 8 * hour]);
  expect(preview([step({ severities: ['info'] })])).toEqual([]);
});

/** One step, minute by minute. */
function minutesOf(given: ScheduleStep, from: number, minutes: number): readonly number[] {
  const opening = createOpening('UTC');
  const found: number[] = [];
  let due = given.delayMinutes;
  for (let at = 0; at < minutes; at += 1) {
    const us = from + at * minute;
    if (at < due || opening.next(given, us) !== us) continue;
    found.push(us);
    due = given.repeatMinutes === null ? Number.POSITIVE_INFINITY : at + given.repeatMinutes;
  }
  return found;
}

test('one step sends in the minutes that a walk through all minutes finds', () => {
  const times = fc.constantFrom('00:00', '06:30', '08:00', '18:00', '23:59');
  fc.assert(
    fc.property(
      fc.record({
        delayMinutes: fc.integer({ min: 0, max: 3_000 }),
        repeatMinutes: fc.option(fc.integer({ min: 1, max: 2_000 })),
        from: fc.option(times),
        days: fc.option(fc.subarray(['Mon', 'Tue', 'Sat', 'Sun'] as const, { minLength: 1 })),
      }),
      fc.integer({ min: 0, max: 10_000 }),
      (some, start) => {
        const given = step(some);
        const atUs = monday + start * minute;
        const found = preview([given], { atUs, untilUs: atUs + 4_000 * minute, maxMessages: 10_000 });
        expect(found.map((each) => each.atUs)).toEqual(minutesOf(given, atUs, 4_000));
      },
    ),
    { numRuns: 40 },
  );
});
