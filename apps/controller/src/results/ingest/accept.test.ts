import { minuteUs } from '@vantage/domain';
import { expect, test } from 'vitest';
import { type AssignedSpan, type ConnectedSpan, isOfTime, locationAt, refusal } from './accept.ts';
import type { ParsedResult } from './parse-record.ts';

const nowUs = 1_700_000_000_000_000;
const at = (minutes: number) => nowUs + minutes * minuteUs;
const never = 'the agent did not hold this device then';

function resultAt(minutes: number): ParsedResult {
  return {
    deviceNo: 1,
    deviceCreatedUs: 0,
    startUs: at(minutes),
    endUs: at(minutes),
    revision: 1,
    code: 1,
    text: '',
    blockMs: 0,
    dnsMs: 0,
    connectMs: 0,
    sslMs: 0,
    ttfbMs: 0,
    ttlbMs: 0,
    dataSize: 0,
    attempt: 0,
    retryId: null,
    runRequestId: null,
    slow: false,
    extended: null,
    behindAnchor: false,
    values: undefined,
  };
}
const held = (from: number, to: number | null): AssignedSpan => ({
  deviceNo: 1,
  fromUs: at(from),
  toUs: to === null ? null : at(to),
});
const up = (from: number, to: number | null): ConnectedSpan => ({
  fromUs: at(from),
  toUs: to === null ? null : at(to),
});

/** Connected until 30 minutes ago, then cut; the device was given away a minute later; back five minutes ago. */
const cutOff = { held: [held(-60, -29)], connected: [up(-90, -30), up(-5, null)] };
/** Never cut; the device was given away 29 minutes ago. */
const moved = { held: [held(-60, -29)], connected: [up(-90, null)] };

test.each<[string, number, { held: AssignedSpan[]; connected: ConnectedSpan[] }, string | undefined]>([
  ['held now', -1, { held: [held(-60, null)], connected: [] }, undefined],
  ['never held', -1, { held: [], connected: [] }, never],
  ['a little before it was given, by a clock that differs', -60.5, moved, undefined],
  ['a minute before it was given', -61, moved, undefined],
  ['well before it was given', -62, moved, never],
  ['while it was held', -40, moved, undefined],
  ['a moment after it was taken away', -28.5, moved, undefined],
  ['a minute after it was taken away', -28, moved, undefined],
  ['well after it was taken away, with the agent connected', -20, moved, never],
  [
    'well after it was taken away, the agent connected until then',
    -20,
    { ...moved, connected: [up(-90, -29), up(-5, null)] },
    never,
  ],
  [
    'well after it was taken away, the agent connected from then on',
    -20,
    { ...moved, connected: [up(-29, null)] },
    never,
  ],
  ['after it was given to another while the agent was cut off', -20, cutOff, undefined],
  ['a moment after the agent was back and could know', -4.5, cutOff, undefined],
  ['a minute after the agent was back', -4, cutOff, undefined],
  ['well after the agent was back', -3, cutOff, never],
  [
    'well after the agent was back for a moment, and just after it was back again',
    -1.5,
    { ...cutOff, connected: [up(-90, -30), up(-5, -4), up(-2, null)] },
    never,
  ],
  ['held again later', -1, { held: [held(-60, -29), held(-2, null)], connected: [up(-90, null)] }, undefined],
  [
    'too far in the future',
    6,
    { held: [held(-60, null)], connected: [] },
    'more than 5 minutes in the future',
  ],
  ['just not too far in the future', 5, { held: [held(-60, null)], connected: [] }, undefined],
  ['as old as the retention', -120, { held: [held(-999, null)], connected: [] }, undefined],
  ['too old', -200, { held: [held(-999, null)], connected: [] }, 'older than the retention of checks'],
])('a result that started %s', (_what, minutes, spans, reason) => {
  const acceptance = {
    nowUs,
    oldestUs: at(-120),
    devices: new Map(),
    assigned: new Map([[1, spans.held]]),
    connected: spans.connected,
    requested: new Map(),
  };
  expect(refusal(resultAt(minutes), acceptance)).toBe(reason);
});

const order = { deviceNo: 1, createdUs: at(-10), deadlineUs: at(-9) };

test.each<[string, number, string | null, typeof order | undefined, string | undefined]>([
  ['for an order of its own', -10, 'o', order, undefined],
  ["for another agent's order, or one that never was", -10, 'o', undefined, never],
  ['for a run request about another device', -10, 'o', { ...order, deviceNo: 2 }, never],
  ['without the order', -10, null, order, never],
  ['a minute before the order was made', -11, 'o', order, undefined],
  ['long before the order was made', -11.5, 'o', order, never],
  ['a minute after the order was over', -8, 'o', order, undefined],
  ['long after the order was over', -7.5, 'o', order, never],
])("a check of another agent's device %s", (_what, minutes, runRequestId, ordered, reason) => {
  const acceptance = {
    nowUs,
    oldestUs: at(-120),
    devices: new Map(),
    assigned: new Map(),
    connected: [],
    requested: new Map(ordered ? [['o', ordered]] : []),
  };
  expect(refusal({ ...resultAt(minutes), runRequestId }, acceptance)).toBe(reason);
});

const other = 'another device had this number';
const early = 'the device did not exist then';

test.each<[string, { minutes: number; saysCreated: number | null }, string | undefined]>([
  ['of this device', { minutes: -1, saysCreated: -10 }, undefined],
  ['of this device, by a clock that differs', { minutes: -10.5, saysCreated: -10 }, undefined],
  ['of the device that had the number before a restore', { minutes: -1, saysCreated: -11 }, other],
  ['of an earlier agent', { minutes: -1, saysCreated: null }, undefined],
  ['of an earlier agent, from when the device was created', { minutes: -10, saysCreated: null }, undefined],
  ['of an earlier agent, from before the device existed', { minutes: -10.5, saysCreated: null }, early],
])('after a number was given again, a result %s', (_what, { minutes, saysCreated }, reason) => {
  const acceptance = {
    nowUs,
    oldestUs: at(-120),
    connected: [],
    requested: new Map(),
    devices: new Map([[1, { createdUs: at(-10) }]]),
    assigned: new Map([[1, [held(-10, null)]]]),
  };
  const deviceCreatedUs = saysCreated === null ? 0 : at(saysCreated);
  expect(refusal({ ...resultAt(minutes), deviceCreatedUs }, acceptance)).toBe(reason);
});

test.each([
  ['the assignment begins', at(-30), 0, never],
  ['the device was created', at(-60), at(-30), early],
])(
  'a clock that is an hour behind: a result from before %s is refused for its time',
  (_, fromUs, createdUs, reason) => {
    const facts = {
      nowUs: at(-60),
      oldestUs: at(-120),
      devices: new Map([[1, { createdUs }]]),
      assigned: new Map([[1, [{ deviceNo: 1, fromUs, toUs: null }]]]),
      connected: [],
      requested: new Map(),
    };
    expect(refusal(resultAt(-60), facts)).toBe(reason);
    expect(reason === undefined || isOfTime(reason)).toBe(true);
  },
);

test('a result of another device is refused whatever the clock says', () => {
  expect(isOfTime('another device had this number')).toBe(false);
});

test('a check belongs to the Location that the agent had at its start, the moment of a move to the new one', () => {
  const spans = [
    { locationNo: 1, toUs: 10 },
    { locationNo: 2, toUs: 20 },
    { locationNo: 3, toUs: null },
  ];
  expect([0, 9, 10, 19, 20, 999].map((atUs) => locationAt(spans, atUs))).toEqual([1, 1, 2, 2, 3, 3]);
});
