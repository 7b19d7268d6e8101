import { create } from '@bufbuild/protobuf';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { expect, test } from 'vitest';
import { encoded } from '../testing/outbox-fixture.ts';
import {
  addRecord,
  countsOf,
  createSegment,
  giveUp,
  inMemoryOnly,
  putBack,
  sendAgain,
  setState,
  takeWaiting,
  totalOf,
} from './segment.ts';

const result = (startUs: number): OutboxRecord =>
  create(OutboxRecordSchema, { record: { case: 'result', value: { startUs: BigInt(startUs) } } });

const coverage = create(OutboxRecordSchema, { record: { case: 'coverage', value: {} } });
const sized = (bytes: number, record = result(1)) => ({ record, payload: new Uint8Array(bytes) });
const one = sized(1);

test('a segment counts its records by state, and the results among them', () => {
  const segment = createSegment(1, 'f', 0);
  for (const record of [result(30), coverage, result(10), result(20)])
    addRecord(segment, encoded(record), 'waiting');
  expect(segment).toMatchObject({ results: 3, minStartUs: 10, maxStartUs: 30, waiting: 4, inFlight: 0 });
  const payloads = new Map([0, 1, 2].map((index) => [index, one.payload]));
  expect(takeWaiting(segment, payloads, 1).items.map(({ index }) => index)).toEqual([0]);
  expect(takeWaiting(segment, new Map(), 9)).toEqual({ items: [], lost: 2 });
  expect([segment.waiting, segment.inFlight]).toEqual([0, 1]);
  expect(countsOf(segment)).toEqual({ frames: 4, results: 3, done: 0 });
  putBack(segment);
  expect([segment.waiting, segment.inFlight]).toEqual([1, 0]);
  setState(segment, 0, 'acked');
  expect(countsOf(segment)).toEqual({ frames: 4, results: 3, done: 4 });
  segment.acks.set('e', 1);
  segment.wasAckedBefore = true;
  sendAgain(segment);
  expect(segment).toMatchObject({ waiting: 1, acks: new Map(), wasAckedBefore: false, doneBefore: 0 });
});

test('what is given up is named by its results alone', () => {
  const segment = createSegment(1, undefined, 0);
  for (const record of [result(5), coverage, result(7)]) addRecord(segment, encoded(record), 'waiting');
  const onDisk = createSegment(2, 'f', 0);
  addRecord(onDisk, encoded(result(1)), 'waiting');
  onDisk.bytes = 10;
  segment.bytes = 99;
  expect(totalOf([segment, onDisk])).toEqual({ bytes: 10, waiting: 4, inFlight: 0 });
  const lost = { fromUs: 5, toUs: 7, dropped: 2, reason: 'why' };
  expect(inMemoryOnly([segment, onDisk], 'why')).toEqual(lost);
  expect(giveUp(segment, 'inFlight', 'why')).toBe(undefined);
  expect(giveUp(segment, 'waiting', 'why')).toEqual(lost);
  expect([giveUp(segment, 'waiting', 'why'), inMemoryOnly([segment], 'why')]).toEqual([undefined, undefined]);
});
