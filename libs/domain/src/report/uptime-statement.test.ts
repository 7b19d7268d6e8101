import fc from 'fast-check';
import { expect, test } from 'vitest';
import { percent } from './numbers.ts';
import type { ReportSpan } from './report-span.ts';
import { spanPhrase } from './report-words.ts';
import { type SpanSeconds, timeWords, uptimeOf, uptimeSentence, uptimeWords } from './uptime-statement.ts';

const may = { time: 'May 2026', within: 'in May 2026' };
const seconds = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 500 }),
  fc.integer({ min: 0, max: 2 ** 40 }),
);
const span: fc.Arbitrary<SpanSeconds> = fc.record({
  up: seconds,
  down: seconds,
  maintenance: seconds,
  unknown: seconds,
  excluded: seconds,
});
const secondsOf = (given: Partial<SpanSeconds>): SpanSeconds => ({
  up: 0,
  down: 0,
  maintenance: 0,
  unknown: 0,
  excluded: 0,
  ...given,
});

test('property: a percentage is shown from 1 % of observation on, and each text with one says of what', () => {
  fc.assert(
    fc.property(span, fc.integer({ min: 1, max: 5_000 }), (given, devices) => {
      const uptime = uptimeOf(given);
      const all = given.up + given.down + given.maintenance + given.unknown + given.excluded;
      const observed = given.up + given.down;
      const isShown = observed > 0 && observed * 100 >= all;
      expect(uptime.percent !== null).toBe(isShown);
      expect(uptime.coverage === 'whole').toBe(observed > 0 && observed >= all * 0.99);
      const sentence = uptimeSentence(uptime, { subject: 'It was up', span: may, devices });
      for (const text of [uptimeWords(uptime, 'May 2026', devices), sentence]) {
        expect(text.includes(`${percent(uptime.percent)} of `)).toBe(isShown);
        if (isShown) expect(text).toMatch(/\u00a0% of (May 2026$|the .*observed)/);
        else expect(text).toMatch(/observed/);
        // Only a span without a second Down is said to be 100 %.
        if (given.down > 0 && isShown) expect(text).not.toMatch(/(^| )100\u00a0% of (May|the \d)/);
      }
      expect(sentence).toContain('May 2026');
    }),
    { numRuns: 500 },
  );
});

test('property: no time in words is longer than the span of one device, unless it is a share', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.integer({ min: 60, max: 40_000_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (devices, length, part) => {
        const total = devices * length;
        const given = Math.floor(total * part);
        expect(timeWords(given, total, devices).includes('% of the time')).toBe(given > length);
      },
    ),
  );
});

const day = 86_400;
const examples: readonly (readonly [SpanSeconds, number, string])[] = [
  [secondsOf({ up: 360, unknown: 400 }), 1, 'R was up 100 % of the 6 min observed in May 2026'],
  [
    secondsOf({ up: 360, unknown: 30 * day }),
    1,
    'Too little of May 2026 was observed for a percentage: 6 min of 30 d 6 min',
  ],
  [
    secondsOf({ up: 5 * 3_600, down: 1_440, maintenance: 3_600 }),
    1,
    'R was up 92.592 % of the 5 h 24 min observed outside maintenance in May 2026',
  ],
  [secondsOf({ up: 31 * day }), 1, 'R was up 100 % of May 2026'],
  [secondsOf({ up: 31 * day - 1_000, down: 900 }), 12, 'R was up 99.966 % of May 2026'],
  [
    secondsOf({ up: day, unknown: 9 * day }),
    3,
    'R was up 100 % of the 10.0 % of the time observed in May 2026',
  ],
  [
    secondsOf({ up: 1, unknown: 9 * day }),
    3,
    'Too little of May 2026 was observed for a percentage: <0.1 % of the time',
  ],
  [secondsOf({ unknown: day }), 1, 'Nothing was observed in May 2026'],
];

test.each(examples)('the uptime of %o of %i devices in a sentence', (given, devices, words) => {
  const sentence = uptimeSentence(uptimeOf(given), { subject: 'R was up', span: may, devices });
  expect(sentence.replaceAll('\u00a0', ' ')).toBe(words);
});

const days = { kind: 'days', first: '2026-10-01', last: '2026-10-14' } as const;
const hours = 3_600;
const spans: readonly (readonly [ReportSpan, boolean, SpanSeconds, string])[] = [
  [days, false, secondsOf({ up: 14 * day }), 'R was up 100 % of the time from 1 to 14 October 2026'],
  [
    days,
    true,
    secondsOf({ up: day, unknown: day }),
    'R was up 100 % of the 1 d observed from 1 to 14 October 2026 so far',
  ],
  [days, false, secondsOf({ unknown: day }), 'Nothing was observed from 1 to 14 October 2026'],
  [
    days,
    false,
    secondsOf({ up: 60, unknown: day }),
    'Too little of the time from 1 to 14 October 2026 was observed for a percentage: 1 min of 1 d 1 min',
  ],
  [
    { ...days, last: days.first },
    false,
    secondsOf({ up: hours, unknown: hours }),
    'R was up 100 % of the 1 h observed on 1 October 2026',
  ],
  [
    { kind: 'quarter', first: '2026-10-01', last: '2026-12-31' },
    false,
    secondsOf({ unknown: day }),
    'Nothing was observed in the 4th quarter of 2026',
  ],
];

test.each(spans)('the sentence for %o, open: %s', (span, isOpen, given, words) => {
  const sentence = uptimeSentence(uptimeOf(given), {
    subject: 'R was up',
    span: spanPhrase(span, isOpen),
    devices: 1,
  });
  expect(sentence.replaceAll('\u00a0', ' ')).toBe(words);
});
