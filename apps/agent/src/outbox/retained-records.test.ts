import { create } from '@bufbuild/protobuf';
import { GapRecordSchema, type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { beforeEach, describe, expect, test } from 'vitest';
import { encoded } from '../testing/outbox-fixture.ts';
import { createRetainedRecords, type RetainedRecords, retentionLimits } from './retained-records.ts';
import { addRecord, createSegment, type OutboxSegment } from './segment.ts';

const most = retentionLimits;
const retainMs = 1000;
const lost = new Map([['e', { sequence: 0, isWhole: false }]]);
let now: number;
let removed: number[];
let retained: RetainedRecords;
let live: Map<number, OutboxSegment>;

beforeEach(() => {
  now = 0;
  removed = [];
  live = new Map();
  const remove = async ({ no }: OutboxSegment) => void removed.push(no);
  retained = createRetainedRecords({ live, retainMs, nowMs: () => now, remove });
});

const result = (startUs: number): OutboxRecord =>
  create(OutboxRecordSchema, { record: { case: 'result', value: { startUs: BigInt(startUs) } } });

/** A segment of so many bytes with one acknowledged result. */
function acked(no: number, bytes: number, where = 'on disk'): OutboxSegment {
  const segment = createSegment(no, where === 'on disk' ? 'f' : undefined, 0);
  segment.bytes = bytes;
  addRecord(segment, encoded(result(no)), 'acked');
  segment.acks.set('e', no);
  live.set(no, segment);
  return segment;
}

const gap = (gapId: string) => create(GapRecordSchema, { gapId, reason: 'r', droppedResults: 1 });
const gapsLost = () => retained.takeLosses(lost).map(({ gapId }) => gapId);

describe('acknowledged segments', () => {
  test('stay until they are as old as the time they are retained for', async () => {
    await retained.retain(acked(1, 10));
    expect([live.has(1), retained.bytes]).toEqual([false, 10]);
    now = retainMs - 1;
    await retained.trim();
    expect(removed).toEqual([]);
    now = retainMs;
    await retained.trim();
    expect([removed, retained.bytes]).toEqual([[1], 0]);
  });

  test.each([
    ['on disk', most.bytes],
    ['in memory', most.memoryBytes],
  ])('%s fill their bound, and the oldest goes for the next byte', async (where, bytes) => {
    await retained.retain(acked(1, bytes - 1, where));
    await retained.retain(acked(2, 1, where));
    expect(removed).toEqual([]);
    await retained.retain(acked(3, 1, where));
    expect(removed).toEqual([1]);
    expect(retained.bytes).toBe(where === 'on disk' ? 2 : 0);
  });

  test('are as many as their bound, and the oldest goes for the next one', async () => {
    for (let no = 1; no <= most.segments; no += 1) await retained.retain(acked(no, 1));
    expect(removed).toEqual([]);
    await retained.retain(acked(0, 1));
    expect(removed).toEqual([1]);
  });

  test('are not retained where nothing of them was acknowledged, or nothing is retained', async () => {
    const done = createSegment(1, 'f', 0);
    addRecord(done, encoded(result(1)), 'done');
    await retained.retain(done);
    const never = createRetainedRecords({
      live,
      retainMs: 0,
      nowMs: () => 0,
      remove: async ({ no }) => void removed.push(no),
    });
    await never.retain(acked(2, 1));
    expect([removed, retained.bytes, await retained.dropOldest()]).toEqual([[1, 2], 0, false]);
  });

  test('are taken out by what the database lost, and give their place back one by one', async () => {
    const [one, two] = [acked(1, 10), acked(2, 20)];
    await retained.retain(one);
    await retained.retain(two);
    expect(retained.takeLost(({ no }) => no === 1)).toEqual([one]);
    expect([retained.bytes, removed]).toEqual([20, []]);
    expect([await retained.dropOldest(), removed, retained.bytes]).toEqual([true, [2], 0]);
  });
});

describe('what was deleted', () => {
  test('is named once with its times when the database lost it', async () => {
    await retained.retain(acked(7, 1));
    await retained.dropOldest();
    const reason = 'the database went back, and the agent had deleted its copy';
    expect(retained.takeLosses(new Map([['e', { sequence: 7, isWhole: false }]]))).toEqual([]);
    expect(retained.takeLosses(lost)).toEqual([{ fromUs: 7, toUs: 7, dropped: 1, reason }]);
    expect(retained.takeLosses(lost)).toEqual([]);
  });

  test('is deleted after a day, and beyond its bound the oldest first', async () => {
    for (let no = 1; no <= most.deleted + 1; no += 1) {
      await retained.retain(acked(no, 1));
      await retained.dropOldest();
    }
    expect(retained.takeLosses(lost).map(({ fromUs }) => fromUs)).toEqual(
      Array.from({ length: most.deleted }, (_, at) => at + 2),
    );
    for (const [no, atMs] of [[1, 0] as const, [2, 1] as const, [3, most.deletedMs] as const]) {
      now = atMs;
      await retained.retain(acked(no, 1));
      await retained.dropOldest();
    }
    expect(retained.takeLosses(lost).map(({ fromUs }) => fromUs)).toEqual([2, 3]);
  });

  test('without a known commit takes no place of another', async () => {
    await retained.retain(acked(1, 1));
    for (let no = 2; no <= most.deleted + 1; no += 1) {
      const segment = acked(no, 1);
      segment.acks.clear();
      await retained.retain(segment);
    }
    while (await retained.dropOldest());
    expect(retained.takeLosses(lost).map(({ fromUs }) => fromUs)).toEqual([1]);
  });

  test('without a result is not named', async () => {
    const segment = createSegment(1, 'f', 0);
    const record = create(OutboxRecordSchema, { record: { case: 'gap', value: gap('g') } });
    addRecord(segment, encoded(record), 'acked');
    segment.acks.set('e', 1);
    await retained.retain(segment);
    await retained.dropOldest();
    expect(retained.takeLosses(lost)).toEqual([]);
  });
});

describe('acknowledged data gaps', () => {
  const position = { epochId: 'e', sequence: 1 };

  test('are given once when the database lost them; one without a position never', () => {
    retained.retainGap(gap('a'), undefined);
    retained.retainGap(gap('b'), position);
    expect([gapsLost(), gapsLost()]).toEqual([['b'], []]);
  });

  test('are retained for their time', () => {
    retained.retainGap(gap('a'), position);
    now = 1;
    retained.retainGap(gap('b'), position);
    now = retainMs + 1;
    retained.retainGap(gap('c'), position);
    expect(gapsLost()).toEqual(['b', 'c']);
  });

  test('are as many as their bound, and the oldest goes for the next one', () => {
    for (let at = 0; at <= most.gaps; at += 1) retained.retainGap(gap(`${at}`), position);
    expect(gapsLost()).toEqual(Array.from({ length: most.gaps }, (_, at) => `${at + 1}`));
  });
});
