import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventLines } from './event-lines.ts';

type Event = Parameters<typeof eventLines>[0][number];
const event = (Type: Event['Type'], minute: number, device_id: string | null = 'a'): Event => ({
  Type,
  device_id,
  Timestamp: new Date(minute * 60_000).toISOString(),
  CheckResult: null,
});
const shown = (...events: Event[]) =>
  eventLines(events).map(({ event: { Type }, ended }) =>
    ended === undefined ? Type : `${Type} after ${ended.Type}`,
  );

test('an outage is one line: open, over, or only an error', () => {
  expect(shown(event('Down', 2), event('Error', 1))).toEqual(['Down']);
  expect(shown(event('Up', 3), event('Down', 2), event('Error', 1))).toEqual(['Up after Down']);
  expect(shown(event('Recovered', 2), event('Error', 1))).toEqual(['Recovered']);
  expect(shown(event('Error', 1))).toEqual(['Error']);
});

test('two outages are two lines, and other devices are not mixed in', () => {
  expect(
    shown(
      event('Down', 6),
      event('Error', 5),
      event('Up', 4),
      event('Down', 3),
      event('Error', 2),
      event('Up', 1),
    ),
  ).toEqual(['Down', 'Up after Down', 'Up']);
  expect(
    shown(event('Up', 4, 'b'), event('Down', 3, 'a'), event('Error', 2, 'b'), event('Up', 1, null)),
  ).toEqual(['Up', 'Down', 'Error', 'Up']);
  // What ended before it was Unknown is another outage.
  expect(shown(event('Up', 4), event('Unknown', 3), event('Down', 2))).toEqual(['Up', 'Unknown', 'Down']);
});

test('every Down and every Up is in a line, in the order of the events', () => {
  const types = fc.constantFrom<Event['Type']>(
    'Error',
    'Down',
    'Up',
    'Recovered',
    'Unknown',
    'Partial',
    'Alert',
  );
  const list = fc.array(fc.tuple(types, fc.constantFrom('a', 'b', null)), { maxLength: 40 });
  fc.assert(
    fc.property(list, (given) => {
      const events = given.map(([type, id], at) => event(type, given.length - at, id));
      const lines = eventLines(events);
      const inLines = new Set(
        lines.flatMap(({ event: line, ended }) => (ended === undefined ? [line] : [line, ended])),
      );
      expect(events.filter((each) => !inLines.has(each)).every(({ Type }) => Type === 'Error')).toBe(true);
      const order = lines.map(({ event: line }) => events.indexOf(line));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      for (const { event: line, ended } of lines)
        if (ended !== undefined)
          expect([line.Type, ended.Type, ended.device_id]).toEqual(['Up', 'Down', line.device_id]);
    }),
  );
});
