import { create } from '@bufbuild/protobuf';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { encoded } from '../testing/outbox-fixture.ts';
import {
  acknowledgeItems,
  addInMemory,
  addWritten,
  createOutboxState,
  limits,
  memoryOverflow,
  offerRecord,
  oldestDroppable,
  setOnline,
  takeAtHand,
  takeUnwritten,
} from './outbox-state.ts';
import { addRecord, createSegment, setState } from './segment.ts';

const result = (startUs: number): OutboxRecord =>
  create(OutboxRecordSchema, { record: { case: 'result', value: { startUs: BigInt(startUs) } } });

const sized = (bytes: number, record = result(1)) => ({ record, payload: new Uint8Array(bytes) });
const one = sized(1);
const many = (count: number) => Array.from({ length: count }, () => one);

test('records that wait for the disk have a bound in number and in bytes', () => {
  const { records, bytes } = limits.unwritten;
  const byNumber = createOutboxState();
  expect(
    many(records + 1)
      .map((one) => offerRecord(byNumber, one))
      .lastIndexOf(true),
  ).toBe(records - 1);
  const byBytes = createOutboxState();
  expect([bytes - 1, 1, 1].map((size) => offerRecord(byBytes, sized(size)))).toEqual([true, true, false]);
  expect(byBytes.bytes).toBe(bytes);
  expect(takeUnwritten(byBytes)).toHaveLength(2);
  expect([byBytes.bytes, takeUnwritten(byBytes)]).toEqual([0, []]);
});

test('records at hand have a bound in number and in bytes; what is beyond waits on disk', () => {
  const { records, bytes } = limits.atHand;
  for (const [batch, atHand] of [
    [many(records + 1), records] as const,
    [[sized(bytes - 1), sized(1), sized(1)], 2] as const,
  ]) {
    const state = createOutboxState();
    const segment = createSegment(1, 'f', 0);
    setOnline(state, true);
    for (const each of batch) addWritten(state, segment, each);
    expect([state.atHand.length, segment.inFlight, segment.waiting]).toEqual([atHand, atHand, 1]);
    expect(takeAtHand(state, -1)).toEqual([]);
    expect(takeAtHand(state, 1)).toHaveLength(1);
    expect(state.atHandBytes).toBeGreaterThan(0);
    takeAtHand(state, records);
    expect([state.atHand.length, state.atHandBytes]).toEqual([0, 0]);
  }
});

test('offline nothing stays at hand', () => {
  const state = createOutboxState();
  const segment = createSegment(1, 'f', 0);
  addWritten(state, segment, sized(1));
  expect([state.atHand.length, segment.waiting]).toEqual([0, 1]);
  setOnline(state, true);
  addWritten(state, segment, sized(1));
  setOnline(state, false);
  expect([state.atHand.length, state.atHandBytes, state.isOnline]).toEqual([0, 0, false]);
});

test('records that the disk refused have a bound; the oldest are given up, but for those in flight', () => {
  const { records, bytes } = limits.inMemory;
  const state = createOutboxState();
  addInMemory(state, [sized(bytes - 1)], { no: 1, bornMs: 0 });
  addInMemory(state, [sized(1)], { no: 2, bornMs: 0 });
  expect([state.bytes, memoryOverflow(state)]).toEqual([bytes, []]);
  addInMemory(state, [sized(1)], { no: 3, bornMs: 0 });
  expect(memoryOverflow(state).map(({ no }) => no)).toEqual([1]);
  const [first] = state.segments.values();
  if (first !== undefined) setState(first, 0, 'inFlight');
  expect(memoryOverflow(state).map(({ no }) => no)).toEqual([2]);

  const crowded = createOutboxState();
  addInMemory(crowded, many(records - 1), { no: 1, bornMs: 0 });
  addInMemory(crowded, many(1), { no: 2, bornMs: 0 });
  expect(memoryOverflow(crowded)).toEqual([]);
  addInMemory(crowded, many(1), { no: 3, bornMs: 0 });
  expect(memoryOverflow(crowded).map(({ no }) => no)).toEqual([1]);
});

test('the oldest segment that may be dropped is on disk, not in use and has nothing in flight', () => {
  const state = createOutboxState();
  const [memory, flying, active, free, later] = [1, 2, 3, 4, 5].map((no) => {
    const segment = createSegment(no, no === 1 ? undefined : 'f', 0);
    state.segments.set(no, segment);
    addRecord(segment, encoded(result(no)), no === 2 ? 'inFlight' : 'waiting');
    return segment;
  });
  expect(memory && flying && oldestDroppable(state, active, () => true)).toBe(free);
  expect(oldestDroppable(state, active, (each) => each !== free)).toBe(later);
  expect(oldestDroppable(state, active, () => false)).toBe(undefined);
});

test('an acknowledged segment remembers the greatest sequence of each epoch', () => {
  const segment = createSegment(1, 'f', 0);
  const items = [0, 1, 2].map(() => ({
    payload: one.payload,
    origin: { kind: 'segment', segment, index: addRecord(segment, one, 'inFlight') } as const,
  }));
  const [first, second, third] = items.map((item) => [item]);
  expect(acknowledgeItems(first ?? [])).toEqual(new Set([segment]));
  expect(segment.acks).toEqual(new Map());
  acknowledgeItems(second ?? [], { epochId: 'e', sequence: 5 });
  acknowledgeItems(third ?? [], { epochId: 'e', sequence: 3 });
  expect([segment.acks, segment.inFlight]).toEqual([new Map([['e', 5]]), 0]);
});
