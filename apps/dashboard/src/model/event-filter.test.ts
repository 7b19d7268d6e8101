import { expect, test } from 'vitest';
import { eventQuery, eventRules, matchesEvent } from './event-filter.ts';
import { readListFilter } from './list-filter.ts';

const filterOf = (text: string) => readListFilter(eventRules, new URLSearchParams(text));
const id = 'a'.repeat(48);

test('the filters of the address are parameters of the API, days as a whole', () => {
  expect(
    eventQuery(filterOf(`type=Down&tag=berlin&device=${id}&from=2026-02-01&to=2026-02-03&before=${id}`)),
  ).toEqual({
    Type: 'Down',
    Tag: 'berlin',
    Device: id,
    Timestamp1: '2026-02-01T00:00:00',
    Timestamp2: '2026-02-03T23:59:59',
  });
  expect(eventQuery(filterOf('type=Nothing'))).toEqual({});
});

test('a new event is told only where it belongs to the list', () => {
  const event = { Type: 'Down', Location: 'Oslo', device_id: id } as const;
  const fits = (text: string) => matchesEvent(filterOf(text), event, ['berlin/rack-1']);
  expect(['', 'type=Down', 'location=oslo', 'tag=Berlin/rack-1', `device=${id}`].map(fits)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ]);
  expect(['type=Up', 'location=Rome', 'tag=berlin', `device=${'b'.repeat(48)}`].map(fits)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});
