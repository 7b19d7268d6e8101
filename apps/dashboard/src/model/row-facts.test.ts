import { expect, test } from 'vitest';
import { rowFactsOf } from './row-facts.ts';

const since = '2026-11-29T09:45:00Z';
const upSinceMs = Date.parse('2026-09-01T00:00:00Z');
const row = { id: 'a', sinceMs: upSinceMs, locations: ['Oslo', 'Warsaw'] };
const facts = {
  alerts: [
    { device_id: 'b', Kind: 'device.partial', Since: since, CheckResult: 'of another device' },
    { device_id: 'a', Kind: 'device.partial', Since: since, CheckResult: 'fails from Warsaw only' },
  ],
  events: [
    { device_id: 'a', Type: 'Error', Timestamp: since, CheckResult: 'no answer within 5 s' },
    { device_id: 'a', Type: 'Error', Timestamp: '2026-11-01T00:00:00Z', CheckResult: 'an older one' },
  ],
  locations: [
    { Name: 'Oslo', Online: false },
    { Name: 'Warsaw', Online: true },
    { Name: 'Hamburg', Online: false },
  ],
  result: '200 OK',
};

test.each([
  ['Partial', { result: 'fails from Warsaw only', offline: [], since }],
  ['Retrying', { result: 'no answer within 5 s', offline: [], since }],
  ['Unknown', { result: '200 OK', offline: ['Oslo'], since: upSinceMs }],
  ['Maint', { result: '200 OK', offline: [], since: upSinceMs }],
] as const)('a device that is %s has the age of its trouble, not of its status', (state, expected) => {
  expect(rowFactsOf({ ...row, state }, facts)).toEqual(expected);
});

test('without an alert or event, the age of a trouble is not known', () => {
  const none = { ...facts, alerts: [], events: [] };
  for (const state of ['Partial', 'Retrying'] as const)
    expect(rowFactsOf({ ...row, state }, none)).toEqual({ result: '200 OK', offline: [], since: undefined });
});
