import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { systemClock } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { BatchSchema, GapRecordSchema } from '@vantage/proto';
import { afterAll, expect, test, vi } from 'vitest';
import type { OutboxItem } from '../outbox/outbox-state.ts';
import { encoded, openTestOutbox, resultRecord, startsOf } from '../testing/outbox-fixture.ts';
import type { ControllerLoad } from './backlog-pace.ts';
import { batchOf, type OutgoingBatch } from './outgoing-batch.ts';
import { createUploader } from './uploader.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-uploader-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Nothing goes wrong, and the backlog begins at once. */
const quiet = {
  random: () => 0,
  stuck: (why: string) => {
    throw new Error(why);
  },
  onError: (error: unknown) => {
    throw error;
  },
};

test('an hour of backlog drains within seconds, in batches of at most 500, new records first', async () => {
  await using outbox = await openTestOutbox(path.join(root, 'a'));
  for (let i = 1; i <= 3600; i += 1) outbox.append(resultRecord(i));
  await outbox.flushed();
  const batches: OutgoingBatch[] = [];
  const seen: number[] = [];
  const startedMs = performance.now();
  await new Promise<void>((resolve) => {
    const uploader = createUploader({
      outbox,
      clock: systemClock,
      send(batch) {
        batches.push(batch);
        seen.push(...startsOf(batch.items));
        setImmediate(() => uploader.acked(batch.batchId));
        if (seen.length === 3601) resolve();
        return true;
      },
      ...quiet,
    });
    uploader.up();
    outbox.append(resultRecord(9999));
  });
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  expect(seen.indexOf(9999)).toBeLessThan(1000);
  expect(new Set(seen).size).toBe(3601);
  expect(Math.max(...batches.map(({ items }) => items.length))).toBeLessThanOrEqual(500);
});

test('batches of new and of old records are cut at 1 MiB, and every record arrives once', async () => {
  await using outbox = await openTestOutbox(path.join(root, 'b'));
  const long = (startUs: number) => resultRecord(startUs, 200_000);
  for (let i = 1; i <= 20; i += 1) outbox.append(long(i));
  await outbox.flushed();
  const sizes: number[] = [];
  const seen: number[] = [];
  await new Promise<void>((resolve) => {
    const uploader = createUploader({
      outbox,
      clock: systemClock,
      send(batch) {
        const bytes = toBinary(BatchSchema, batchOf(batch));
        sizes.push(bytes.length);
        const { batchId, records } = fromBinary(BatchSchema, bytes);
        for (const { record } of records)
          if (record.case === 'result') seen.push(Number(record.value.startUs));
        setImmediate(() => uploader.acked(batchId));
        if (seen.length === 40) resolve();
        return true;
      },
      ...quiet,
    });
    uploader.up();
    for (let i = 21; i <= 40; i += 1) outbox.append(long(i));
  });
  expect(new Set(seen).size).toBe(40);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024 + 100);
});

test('the first new record goes at once, those after it together after 400 ms, or as soon as they fill a batch', async () => {
  const clock = createFakeClock();
  await using outbox = await openTestOutbox(path.join(root, 'c'));
  const sent: number[] = [];
  const uploader = createUploader({
    outbox,
    clock,
    send: (batch) => {
      sent.push(batch.items.length);
      uploader.acked(batch.batchId);
      return true;
    },
    ...quiet,
  });
  const append = async (count: number) => {
    for (let i = 0; i < count; i += 1) outbox.append(resultRecord(i + 1));
    await outbox.flushed();
  };
  uploader.up();
  await append(1);
  await clock.advance(0);
  expect(sent).toEqual([1]);
  for (const count of [3, 4]) await append(count);
  await clock.advance(399);
  expect(sent).toEqual([1]);
  await clock.advance(1);
  expect(sent).toEqual([1, 7]);
  await append(499);
  await clock.advance(1);
  expect(sent).toEqual([1, 7]);
  await append(1);
  await clock.advance(0);
  expect(sent).toEqual([1, 7, 500]);
  uploader.down();
});

test.each<[string, ControllerLoad, number]>([
  [
    'half to one and a half times that time for a controller that says the time of a batch only',
    { tookMs: 60 },
    30,
  ],
  ['ten seconds at most', { tookMs: 4_000_000_000 }, 5_000],
  ['twice the time of the ack for one that says nothing', {}, 200],
  ['short for one that stores at once', { storedMs: 40, waitingBatches: 0, busyPermille: 100 }, 5],
])('the pause after a batch of the backlog is %s', async (_, load, pauseMs) => {
  const clock = createFakeClock();
  await using outbox = await openTestOutbox(path.join(root, `pause-${pauseMs}`));
  for (let i = 1; i <= 1000; i += 1) outbox.append(resultRecord(i));
  await outbox.flushed();
  const sentMs: number[] = [];
  const uploader = createUploader({
    outbox,
    clock,
    send: (batch) => {
      sentMs.push(clock.monoMs());
      clock.timer(100, () => uploader.acked(batch.batchId ?? 0n, load));
      return true;
    },
    ...quiet,
  });
  uploader.up();
  const sends = (count: number) =>
    vi.waitFor(async () => {
      await clock.advance(1);
      expect(sentMs).toHaveLength(count);
    }, 60_000);
  await sends(1);
  const [firstMs = 0] = sentMs;
  await clock.advance(firstMs + 100 - clock.monoMs());
  await clock.advance(Math.max(0, pauseMs - 20));
  expect(sentMs).toHaveLength(1);
  await clock.advance(20);
  await sends(2);
  uploader.down();
});

test('the backlog waits for new records that are on their way, ten seconds at most', async () => {
  const clock = createFakeClock();
  await using outbox = await openTestOutbox(path.join(root, 'precedence'));
  const append = async (from: number, count: number) => {
    for (let i = 0; i < count; i += 1) outbox.append(resultRecord(from + i));
    await outbox.flushed();
  };
  await append(1, 300);
  const sent: { readonly batchId: bigint; readonly isOld: boolean }[] = [];
  const uploader = createUploader({
    outbox,
    clock,
    send: ({ batchId, items }) => {
      const isOld = startsOf(items).some((start) => start < 1000);
      sent.push({ batchId, isOld });
      return true;
    },
    ...quiet,
    random: () => 0.5,
  });
  uploader.up();
  for (let i = 1; i <= 3; i += 1) {
    await append(i * 1000, 500);
    await clock.advance(1);
  }
  await clock.advance(1500);
  expect(sent.map(({ isOld }) => isOld)).toEqual([false, false, false]);
  const [first, second] = sent;
  if (first === undefined || second === undefined) throw new Error('no batch');
  uploader.acked(first.batchId);
  await clock.advance(10);
  expect(sent).toHaveLength(3);
  uploader.acked(second.batchId);
  await vi.waitFor(async () => {
    await clock.advance(1);
    expect(sent.map(({ isOld }) => isOld)).toEqual([false, false, false, true]);
  }, 60_000);
  uploader.down();
});

test('while acks wait for the disk, a bounded number of records is sent; then the rest', async () => {
  const clock = createFakeClock();
  const item: OutboxItem = {
    payload: encoded(resultRecord(1)).payload,
    origin: { kind: 'gap', gap: create(GapRecordSchema) },
  };
  let left = 20_000;
  const settle: (() => void)[] = [];
  await using unused = await openTestOutbox(path.join(root, 'unused'));
  const uploader = createUploader({
    clock,
    outbox: {
      ...unused,
      setOnline() {},
      onAvailable() {},
      get atHand() {
        return left;
      },
      backlog: 0,
      nextNew(max) {
        const count = Math.min(max, left);
        left -= count;
        return Array<OutboxItem>(count).fill(item);
      },
      ack: () => new Promise((resolve) => void settle.push(resolve)),
    },
    send({ batchId }) {
      clock.timer(1, () => uploader.acked(batchId));
      return true;
    },
    ...quiet,
  });
  uploader.up();
  await clock.advance(60_000);
  expect(20_000 - left).toBeGreaterThanOrEqual(5_000);
  expect(20_000 - left).toBeLessThanOrEqual(5_000 + 4 * 500);
  while (left > 0) {
    const before = left;
    for (const done of settle.splice(0)) done();
    await clock.advance(1_000);
    expect(left).toBeLessThan(before);
  }
  uploader.down();
});
