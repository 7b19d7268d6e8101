import { expect, test } from 'vitest';
import { clockText, durationText, secondsSince } from './moment-text.ts';

const composed = '2026-11-22T08:31:06+01:00';

test.each([
  ['the same day', '2026-11-22T08:28:06+01:00', 'Europe/Berlin', '08:28:06 CET'],
  ['another day', '2026-11-21T23:59:59+01:00', 'Europe/Berlin', '21 Nov 23:59:59 CET'],
  ['another year', '2025-11-22T08:28:06+01:00', 'Europe/Berlin', '22 Nov 2025 08:28:06 CET'],
  ['summer', '2026-07-01T08:28:06+02:00', 'Europe/Berlin', '1 Jul 08:28:06 CEST'],
  ['America', '2026-11-22T02:28:06-05:00', 'America/New_York', '02:28:06 EST'],
  ['a zone without a short name', '2026-11-22T16:28:06+09:00', 'Asia/Tokyo', '16:28:06 UTC+9'],
  ['half an hour', '2026-11-22T13:13:06+05:45', 'Asia/Kathmandu', '13:13:06 UTC+5:45'],
  ['a zone that does not exist', '2026-11-22T08:28:06+01:00', 'Mars/Olympus', '08:28:06 UTC+1'],
  ['no timestamp', 'soon', 'Europe/Berlin', 'soon'],
])('%s: %s in %s is %s', (_, timestamp, timezone, text) => {
  expect(clockText(timestamp, { composed, timezone })).toBe(text);
});

test.each([
  [0, '0 s'],
  [119, '119 s'],
  [120, '2 min'],
  [24 * 60, '24 min'],
  [12_000, '3 h 20 min'],
  [2 * 86_400 + 3 * 3_600, '2 days 3 h'],
  [-5, '0 s'],
  ['x', 'some time'],
])('%s seconds are %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

test('the time since a moment is never negative, and unknown where it is no moment', () => {
  const at = { composed, timezone: 'Europe/Berlin' };
  expect(secondsSince('2026-11-22T07:28:06Z', at)).toBe(180);
  expect(secondsSince('2026-11-22T09:00:00+01:00', at)).toBe(0);
  expect(secondsSince('soon', at)).toBeUndefined();
  expect(secondsSince(5, at)).toBeUndefined();
});
