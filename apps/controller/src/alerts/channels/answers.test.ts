import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fullNotice, fullNoticeHeadline, fullNoticeLines } from '../deliver/testing/channel-contract.ts';
import { textBody } from './alert-mail-text.ts';
import type { AnsweredQuestion } from './answer-line.ts';
import { answersOf } from './answers.ts';
import type { Notice } from './channel.ts';

const facts = {
  Number: 3,
  AcknowledgedBy: 'Ada',
  FailingLocations: ['Oslo', 'Rome'],
  GoodLocations: ['Paris'],
  Behind: { Count: 30, Suppressed: 12, Names: ['a', 'b'] },
  Nearby: [
    { Count: 12, What: 'Location', Name: 'Hamburg' },
    { Count: 1, What: 'master', Name: 'gw' },
  ],
  Trace: { Hops: 7, LastHop: '192.0.2.1', Reached: false, Location: 'Oslo' },
  Undelivered: [{ Contact: 'noc', Reason: 'HTTP 410' }],
};
const lines = [
  'What: Web server (web), HTTP https://me:***@www.example.org/, severity critical',
  'From where: fails from Oslo, Rome; works from Paris',
  'Trace: 7 hops from Oslo, the last that answers is 192.0.2.1',
  'Behind it: 30 devices; 12 of them fail too, without a message of their own (a, b, 10 more)',
  'At the same time: 12 others at Hamburg; 1 other behind gw fell in the same minute',
  'Acknowledged by: Ada',
  'Not notified: noc (HTTP 410)',
];

const withFacts = (data: Notice['data'], more: Partial<Notice> = {}): Notice => ({
  ...fullNotice,
  data: { ...fullNotice.data, ...data },
  ...more,
});
const textOf = (notice: Notice) => answersOf(notice).lines.map(({ label, text }) => `${label}: ${text}`);

test.each([
  ['is Down', { Status: 'Down', DownSince: '2026-02-25T22:38:03+01:00' }, true],
  ['is Up at this moment', { Status: 'Up', DownSince: '2026-02-25T22:38:03+01:00' }, false],
  ['is Down since nobody knows when', { Status: 'Down', DownSince: null }, false],
])('a device that flaps and %s says so only while it is Down', (_what, data, says) => {
  const { since } = answersOf(withFacts(data, { kind: 'device.flapping' }));
  expect(since?.startsWith('Down again since') ?? false).toBe(says);
});

test('a message says what, why, since, from where, what else, and what to do', () => {
  const notice = withFacts(facts);
  expect(answersOf(notice).headline).toBe(
    'web is Down: HTTP 500. Still Down for 3 min, since 08:00:00 CET, third message.',
  );
  expect(textOf(notice)).toEqual(lines);
  expect(textBody([notice])).toContain(lines.join('\n'));
  expect(answersOf(fullNotice).headline).toBe(fullNoticeHeadline);
  expect(textOf(fullNotice)).toEqual(fullNoticeLines);
});

test.each([
  ['nothing is known', {}],
  ['it is the first message', { Number: 1 }],
  ['lists are empty', { FailingLocations: [], GoodLocations: [], Undelivered: [], Nearby: [] }],
  ['counts are 0', { Behind: { Count: 0, Names: [] }, Nearby: [{ Count: 0, What: 'Location', Name: 'x' }] }],
  ['facts have another form', { Behind: 'x', Trace: [], Number: '3', AcknowledgedBy: null }],
])('there is no further line where %s', (_, data) => {
  expect(textOf(withFacts(data))).toEqual(fullNoticeLines);
});

test('one device behind it is one device, and a line is at most 1,000 characters long', () => {
  expect(textOf(withFacts({ Behind: { Count: 1, Names: ['a'] } })).at(-1)).toBe('Behind it: 1 device (a)');
  const long = answersOf(withFacts({ AcknowledgedBy: 'a'.repeat(5_000) })).lines.at(-1);
  expect(long?.text).toHaveLength(1_000);
});

test('a reason that the headline cuts is a line of its own', () => {
  const why = `no answer ${'x'.repeat(200)}`;
  expect(textOf(withFacts({ CheckResult: why }))).toContain(`Why: ${why}`);
  expect(answersOf(withFacts({ CheckResult: why })).headline).toContain('no answer xxx');
});

test.each<[string, Notice['data'], string]>([
  [
    'device.up',
    { Since: '2026-11-22T08:24:00+01:00', DownSince: '2026-11-22T08:00:00+01:00', Seconds: 1440 },
    'web is Up again: HTTP 500. Up since 08:24:00 CET, was Down for 24 min (from 08:00:00 CET).',
  ],
  [
    'device.up',
    {
      AlertKind: 'device.slow',
      Since: '2026-11-22T08:24:00+01:00',
      DownSince: '2026-11-21T08:00:00+01:00',
      Seconds: 87_840,
    },
    'web is no longer slow: HTTP 500. Fast since 08:24:00 CET, was slow for 24 h 24 min (from 21 Nov 08:00:00 CET).',
  ],
  [
    'device.flapping',
    {
      Status: 'Down',
      Outages: 4,
      DownSince: '2026-11-22T08:01:00+01:00',
      Since: '2026-11-22T07:43:00+01:00',
      Seconds: 540,
    },
    'web flaps and is Down: 4 outages in 20 min (HTTP 500). Down again since 08:01:00 CET, first outage at 07:43:00 CET, Down for 9 min in total.',
  ],
  [
    'acknowledged',
    { By: 'Ada', Note: 'on it' },
    'The alert about web is acknowledged by Ada: on it. Since 08:00:00 CET.',
  ],
])('%s: %j', (kind, data, headline) => {
  expect(answersOf(withFacts(data, { kind })).headline).toBe(headline);
});

const order: readonly AnsweredQuestion[] = ['what', 'why', 'where', 'else', 'next'];

test('whatever the facts, there is one line without control characters for each, in the order of the questions', () => {
  const kinds = fc.constantFrom(
    'device.down',
    'device.up',
    'device.flapping',
    'location.offline',
    'late.summary',
    'of.later',
    'test',
  );
  const names = [...Object.keys(facts), ...Object.keys(fullNotice.data), 'Outages', 'DownSince', 'Seconds'];
  const data = fc.dictionary(fc.constantFrom(...names), fc.jsonValue());
  fc.assert(
    fc.property(kinds, data, (kind, some) => {
      const parsed: Notice['data'] = JSON.parse(JSON.stringify(some));
      const answers = answersOf({ ...fullNotice, kind, data: { ...facts, ...parsed } });
      expect(answers.headline).not.toMatch(/\p{Cc}/u);
      expect(answers.headline.length).toBeLessThan(1_000);
      const places = answers.lines.map(({ question }) => order.indexOf(question));
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      for (const { text } of answers.lines) expect(text).not.toMatch(/\p{Cc}/u);
    }),
  );
});
