import { create } from '@bufbuild/protobuf';
import { GapRecordSchema, type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { beforeEach, describe, expect, test } from 'vitest';
import { encoded } from '../testing/outbox.ts';
import { createKept, type Kept, keptLimits } from './kept.ts';
import { addRecord, createSegment, type Segment } from './segment.ts';

const most = keptLimits;
const keepMs = 1000;
const lost = new Map([['e', { mark: 0, isWhole: false }]]);

let now: number;
let removed: number[];
let kept: Kept;
let live: Map<number, Segment>;
beforeEach(() => {
  now = 0;
  removed = [];
  live = new Map();
  const remove = async ({ no }: Segment) => void removed.push(no);
  kept = createKept({ live, keepMs, nowMs: () => now, remove });
});

const result = (startUs: number): OutboxRecord =>
  create(OutboxRecordSchema, { record: { case: 'result', value: { startUs: BigInt(startUs) } } });

/** A segment of so many bytes with one acknowledged result. */
function acked(no: number, bytes: number, where = 'on disk'): Segment {
  const segment = createSegment(no, where === 'on disk' ? 'f' : undefined, 0);
  segment.bytes = bytes;
  addRecord(segment, encoded(result(no)), 'acked');
  segment.acks.set('e', no);
  live.set(no, segment);
  return segment;
}
const gap = (gapId: string) => create(GapRecordSchema, { gapId, reason: 'r', droppedResults: 1 });
const gapsLost = () => kept.takeLosses(lost).map(({ gapId }) => gapId);

describe('acknowledged segments', () => {
  test('stay until they are as old as the time they are kept for', async () => {
    await kept.keep(acked(1, 10));
    expect([live.has(1), kept.bytes]).toEqual([false, 10]);
    now = keepMs - 1;
    await kept.trim();
    expect(removed).toEqual([]);
    now = keepMs;
    await kept.trim();
    expect([removed, kept.bytes]).toEqual([[1], 0]);
  });

  test.each([
    ['on disk', most.bytes],
    ['in memory', most.memoryBytes],
  ])('%s fill their bound, and the oldest goes for the next byte', async (where, bytes) => {
    await kept.keep(acked(1, bytes - 1, where));
    await kept.keep(acked(2, 1, where));
    expect(removed).toEqual([]);
    await kept.keep(acked(3, 1, where));
    expect(removed).toEqual([1]);
    expect(kept.bytes).toBe(where === 'on disk' ? 2 : 0);
  });

  test('are as many as their bound, and the oldest goes for the next one', async () => {
    for (let no = 1; no <= most.segments; no += 1) await kept.keep(acked(no, 1));
    expect(removed).toEqual([]);
    await kept.keep(acked(0, 1));
    expect(removed).toEqual([1]);
  });

  test('are not kept where nothing of them was acknowledged, or nothing is kept', async () => {
    const done = createSegment(1, 'f', 0);
    addRecord(done, encoded(result(1)), 'done');
    await kept.keep(done);
    const never = createKept({
      live,
      keepMs: 0,
      nowMs: () => 0,
      remove: async ({ no }) => void removed.push(no),
    });
    await never.keep(acked(2, 1));
    expect([removed, kept.bytes, await kept.dropOldest()]).toEqual([[1, 2], 0, false]);
  });

  test('are taken out by what the database lost, and give their place back one by one', async () => {
    const [one, two] = [acked(1, 10), acked(2, 20)];
    await kept.keep(one);
    await kept.keep(two);
    expect(kept.takeLost(({ no }) => no === 1)).toEqual([one]);
    expect([kept.bytes, removed]).toEqual([20, []]);
    expect([await kept.dropOldest(), removed, kept.bytes]).toEqual([true, [2], 0]);
  });
});

describe('what was deleted', () => {
  test('is named once with its times when the database lost it', async () => {
    await kept.keep(acked(7, 1));
    await kept.dropOldest();
    const reason = 'the database went back, and the agent had deleted its copy';
    expect(kept.takeLosses(new Map([['e', { mark: 7, isWhole: false }]]))).toEqual([]);
    expect(kept.takeLosses(lost)).toEqual([{ fromUs: 7, toUs: 7, dropped: 1, reason }]);
    expect(kept.takeLosses(lost)).toEqual([]);
  });

  test('is forgotten after a day, and beyond its bound the oldest first', async () => {
    for (let no = 1; no <= most.forgotten + 1; no += 1) {
      await kept.keep(acked(no, 1));
      await kept.dropOldest();
    }
    expect(kept.takeLosses(lost).map(({ fromUs }) => fromUs)).toEqual(
      Array.from({ length: most.forgotten }, (_, at) => at + 2),
    );
    for (const [no, atMs] of [[1, 0] as const, [2, 1] as const, [3, most.forgottenMs] as const]) {
      now = atMs;
      await kept.keep(acked(no, 1));
      await kept.dropOldest();
    }
    expect(kept.takeLosses(lost).map(({ fromUs }) => fromUs)).toEqual([2, 3]);
  });

  test('without a known commit takes no place of another', async () => {
    await kept.keep(acked(1, 1));
    for (let no = 2; no <= most.forgotten + 1; no += 1) {
      const segment = acked(no, 1);
      segment.acks.clear();
      await kept.keep(segment);
    }
    while (await kept.dropOldest());
    expect(kept.takeLosses(lost).map(({ fromUs }) => fromUs)).toEqual([1]);
  });

  test('without a result is not named', async () => {
    const segment = createSegment(1, 'f', 0);
    const record = create(OutboxRecordSchema, { record: { case: 'gap', value: gap('g') } });
    addRecord(segment, encoded(record), 'acked');
    segment.acks.set('e', 1);
    await kept.keep(segment);
    await kept.dropOldest();
    expect(kept.takeLosses(lost)).toEqual([]);
  });
});

describe('acknowledged data gaps', () => {
  const position = { epochId: 'e', mark: 1 };

  test('are given once when the database lost them; one without a position never', () => {
    kept.keepGap(gap('a'), undefined);
    kept.keepGap(gap('b'), position);
    expect([gapsLost(), gapsLost()]).toEqual([['b'], []]);
  });

  test('are kept for their time', () => {
    kept.keepGap(gap('a'), position);
    now = 1;
    kept.keepGap(gap('b'), position);
    now = keepMs + 1;
    kept.keepGap(gap('c'), position);
    expect(gapsLost()).toEqual(['b', 'c']);
  });

  test('are as many as their bound, and the oldest goes for the next one', () => {
    for (let at = 0; at <= most.gaps; at += 1) kept.keepGap(gap(`${at}`), position);
    expect(gapsLost()).toEqual(Array.from({ length: most.gaps }, (_, at) => `${at + 1}`));
  });
});
