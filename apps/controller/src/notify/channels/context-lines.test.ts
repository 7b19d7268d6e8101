import { expect, test } from 'vitest';
import { fullNotice } from '../testing/channel-contract.ts';
import { contextLines } from './context-lines.ts';
import { textBody } from './email-text.ts';

const data = {
  Number: 3,
  AcknowledgedBy: 'Ada',
  LastWords: 'out of\nmemory',
  FailingLocations: ['Oslo', 'Rome'],
  GoodLocations: ['Paris'],
  Behind: { Count: 30, Names: ['a', 'b'] },
  Nearby: { Count: 12, What: 'Location', Name: 'Hamburg' },
  Trace: { Hops: 7, LastHop: '192.0.2.1' },
  Undelivered: [{ Contact: 'noc', Reason: 'HTTP 410' }],
};
const lines = [
  'Last words of the agent: out of memory',
  'Fails from: Oslo, Rome',
  'Works from: Paris',
  'Behind it: 30 devices (a, b, 28 more)',
  'At the same time: 12 others failed (same Location: Hamburg)',
  'Trace at the failure: 7 hops, the last that answered is 192.0.2.1',
  'Message: number 3 of this alert',
  'Acknowledged by: Ada',
  'Not notified: noc (HTTP 410)',
];

test('a message says why, from where, what else, and who knows already', () => {
  expect(contextLines(data).map(({ label, text }) => `${label}: ${text}`)).toEqual(lines);
  const body = textBody([{ ...fullNotice, data: { ...fullNotice.data, ...data } }]);
  expect(body).toContain(lines.join('\n'));
});

test.each([
  ['nothing is known', {}],
  ['it is the first message', { Number: 1 }],
  ['lists are empty', { FailingLocations: [], GoodLocations: [], Undelivered: [] }],
  ['counts are 0', { Behind: { Count: 0, Names: [] }, Nearby: { Count: 0, What: 'Location', Name: 'x' } }],
  ['facts have another form', { Behind: 'x', Trace: [], Number: '3', LastWords: 5, AcknowledgedBy: null }],
])('there is no line where %s', (_, facts) => {
  expect(contextLines(facts)).toEqual([]);
});

test('one device behind it is one device, and a text is at most 1,000 characters long', () => {
  const [behind, ...rest] = contextLines({ Behind: { Count: 1, Names: ['a'] } });
  expect([behind?.text, rest]).toEqual(['1 device (a)', []]);
  expect(contextLines({ AcknowledgedBy: 'a'.repeat(5_000) })[0]?.text).toHaveLength(1_000);
});
