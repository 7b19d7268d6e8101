import { minuteUs, secondUs } from '@vantage/domain';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideGrouping, type MessageGrouping, noGrouping } from './grouping.ts';

interface Sent {
  readonly atUs: number;
  readonly createdUs: readonly number[];
}

/** Sends these messages through the decision, at each arrival and whenever held messages may leave. */
function deliver(arrivals: readonly number[]): Sent[] {
  let grouping: MessageGrouping = noGrouping;
  let waiting: number[] = [];
  const sent: Sent[] = [];
  const wakes = new Set(arrivals);
  const rest = [...arrivals].sort((a, b) => a - b);
  while (wakes.size > 0) {
    const nowUs = Math.min(...wakes);
    wakes.delete(nowUs);
    while (rest[0] !== undefined && rest[0] <= nowUs) waiting.push(...rest.splice(0, 1));
    const decision = decideGrouping(grouping, waiting, { nowUs });
    grouping = decision.next;
    for (const created of waiting.splice(0, decision.singles))
      sent.push({ atUs: nowUs, createdUs: [created] });
    if (decision.isGrouped) sent.push({ atUs: nowUs, createdUs: waiting });
    if (decision.isGrouped) waiting = [];
    if (decision.postponedUntilUs === null) expect(waiting).toEqual([]);
    else wakes.add(decision.postponedUntilUs);
  }
  return sent;
}

const arrivals = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 600 })), { maxLength: 300 })
  .map((seconds) => seconds.map((second) => second * secondUs).sort((a, b) => a - b));

test('no message is lost or sent twice, none waits longer than a minute, and no minute has more than six', () => {
  const property = fc.property(arrivals, (all) => {
    const sent = deliver(all);
    expect(sent.flatMap(({ createdUs }) => createdUs)).toEqual(all);
    for (const { atUs, createdUs } of sent) {
      expect(atUs - Math.min(...createdUs)).toBeLessThanOrEqual(minuteUs);
      const inMinute = sent.filter((other) => other.atUs >= atUs && other.atUs < atUs + minuteUs);
      expect(inMinute.length).toBeLessThanOrEqual(6);
    }
  });
  fc.assert(property, { numRuns: 2000 });
});

test('the first five of 2,000 messages leave at once, then one message a minute names all others', () => {
  const all = Array.from({ length: 2000 }, (_, n) => Math.floor((n * minuteUs) / 2000));
  const sent = deliver(all);
  expect(sent.slice(0, 5).map(({ atUs }) => atUs)).toEqual(all.slice(0, 5));
  expect(sent.slice(5).map(({ createdUs }) => createdUs.length)).toEqual([1995]);
  const long = deliver(Array.from({ length: 300 }, (_, n) => n * secondUs));
  expect(long.slice(5).map(({ createdUs }) => createdUs.length)).toEqual([56, 60, 60, 60, 59]);
});

test('after a minute without a message, messages leave one by one again', () => {
  const burst = Array.from({ length: 8 }, () => 0);
  const later = [3, 3, 3].map((minutes) => minutes * minuteUs);
  const counts = deliver([...burst, ...later]).map(({ createdUs }) => createdUs.length);
  expect(counts).toEqual([1, 1, 1, 1, 1, 3, 1, 1, 1]);
});

test('a clock that is set back holds messages for a minute at most', () => {
  const before: MessageGrouping = { recentUs: [9e15], groupedUs: 9e15 + minuteUs };
  expect(decideGrouping(before, [5], { nowUs: 10 }).postponedUntilUs).toBe(10 + minuteUs);
});

const five = (atUs: number) => Array.from({ length: 5 }, () => atUs);

test.each<
  [string, MessageGrouping, number, readonly [singles: number, isGrouped: boolean, holdUs: number | null]]
>([
  ['five at this moment', { recentUs: five(minuteUs), groupedUs: null }, minuteUs, [0, false, minuteUs]],
  ['five just within a minute', { recentUs: five(1), groupedUs: null }, minuteUs, [0, false, 1]],
  ['five a minute ago', { recentUs: five(0), groupedUs: null }, minuteUs, [1, false, null]],
  ['five at a time to come', { recentUs: five(minuteUs + 1), groupedUs: null }, minuteUs, [1, false, null]],
  ['a group, just within its minute', { recentUs: [], groupedUs: minuteUs + 1 }, 0, [0, false, 1]],
  ['a group whose minute ends now', { recentUs: [], groupedUs: minuteUs }, minuteUs, [0, true, null]],
  ['a group whose minute is over', { recentUs: [], groupedUs: minuteUs - 1 }, minuteUs, [1, false, null]],
])('the decision on a message after %s', (_what, before, createdUs, expected) => {
  const { singles, isGrouped, postponedUntilUs } = decideGrouping(before, [createdUs], { nowUs: minuteUs });
  expect([singles, isGrouped, postponedUntilUs && postponedUntilUs - minuteUs]).toEqual(expected);
});
