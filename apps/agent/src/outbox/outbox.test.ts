import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toBinary } from '@bufbuild/protobuf';
import { createFakeClock } from '@vantage/kernel/testing';
import { OutboxRecordSchema } from '@vantage/proto';
import { expect, test, vi } from 'vitest';
import {
  gapsOf,
  onlySegment,
  openTestOutbox as open,
  resultRecord as result,
  startsOf,
  useOutboxFolders,
} from '../testing/outbox-fixture.ts';
import { limits } from './outbox-state.ts';
import { encodeFrames } from './segment-frames.ts';

const newFolder = useOutboxFolders();

test('a result can be taken out only when it is on disk', async () => {
  const folder = newFolder();
  await using outbox = await open(folder);
  outbox.setOnline(true);
  outbox.append(result(1));
  expect(outbox.nextNew(10)).toEqual([]);
  await outbox.flushed();
  expect(readFileSync(onlySegment(folder)).length).toBeGreaterThan(14);
  expect(startsOf(outbox.nextNew(10))).toEqual([1]);
});

test('after a group of eight records the next group waits 40 ms, after a smaller one 10 ms', async () => {
  const clock = createFakeClock();
  await using outbox = await open(newFolder(), { clock });
  const timers = vi.spyOn(clock, 'timer');
  for (let i = 1; i <= 8; i += 1) outbox.append(result(i));
  await clock.advance(1);
  outbox.append(result(9));
  await clock.advance(39);
  await vi.waitFor(() => expect(outbox.records).toBe(9), { timeout: 60_000 });
  outbox.append(result(10));
  expect(timers.mock.calls.map(([ms]) => ms)).toEqual([0, 39, 10]);
});

test('new records come before the backlog, and each is taken out once', async () => {
  const folder = newFolder();
  await using outbox = await open(folder);
  for (let i = 1; i <= 1200; i += 1) outbox.append(result(i));
  await outbox.flushed();
  outbox.setOnline(true);
  outbox.append(result(9999));
  await outbox.flushed();
  expect(outbox.backlog).toBe(1200);
  expect(startsOf(outbox.nextNew(500))).toEqual([9999]);
  const backlog: number[] = [];
  for (let part = await outbox.nextBacklog(500); part.length > 0; part = await outbox.nextBacklog(500)) {
    backlog.push(...startsOf(part));
  }
  expect(backlog).toEqual(Array.from({ length: 1200 }, (_, i) => i + 1));
});

test('after a lost connection all records without ack wait again', async () => {
  await using outbox = await open(newFolder());
  outbox.setOnline(true);
  for (let i = 1; i <= 10; i += 1) outbox.append(result(i));
  await outbox.flushed();
  await outbox.ack(outbox.nextNew(4));
  outbox.setOnline(false);
  expect(await outbox.nextBacklog(100)).toEqual([]);
  outbox.setOnline(true);
  expect(startsOf(await outbox.nextBacklog(100))).toEqual([5, 6, 7, 8, 9, 10]);
  expect(outbox.nextNew(100)).toEqual([]);
  // The file has grown since it was read.
  outbox.setOnline(false);
  outbox.append(result(11));
  await outbox.flushed();
  outbox.setOnline(true);
  expect(startsOf(await outbox.nextBacklog(100))).toEqual([5, 6, 7, 8, 9, 10, 11]);
  expect(gapsOf(outbox.nextNew(100))).toEqual([]);
});

test('beyond its bound the outbox drops the oldest results, and the gap counts every one of them', async () => {
  await using outbox = await open(newFolder(), { maxBytes: 8 * 1024 * 1024 });
  for (let i = 1; i <= 200; i += 1) {
    outbox.append(result(i, 100_000));
    await outbox.flushed();
  }
  expect(outbox.bytes).toBeLessThanOrEqual(9.2 * 1024 * 1024);
  outbox.setOnline(true);
  const [gap, ...none] = gapsOf(outbox.nextNew(100));
  expect(none).toEqual([]);
  const retained = startsOf(await outbox.nextBacklog(1000));
  expect(gap).toMatchObject({ fromUs: 1n, reason: 'outbox full' });
  expect((gap?.droppedResults ?? 0) + retained.length).toBe(200);
  expect(Number(gap?.toUs)).toBe((retained[0] ?? 0) - 1);
});

test('results older than seven days are dropped', async () => {
  let nowMs = Date.now();
  await using outbox = await open(newFolder(), { nowMs: () => nowMs });
  // Two files.
  for (const from of [1, 13]) {
    for (let i = from; i < from + 12; i += 1) outbox.append(result(i, 100_000));
    await outbox.flushed();
  }
  nowMs += limits.maxAgeMs;
  outbox.append(result(25));
  await outbox.flushed();
  outbox.setOnline(true);
  expect(gapsOf(outbox.nextNew(10))).toEqual([]);
  nowMs += 1;
  outbox.append(result(26));
  await outbox.flushed();
  expect(gapsOf(outbox.nextNew(10))).toMatchObject([{ droppedResults: 24, reason: 'older than 7 days' }]);
});

/** A result whose frame in a segment file has exactly so many bytes. */
function framed(startUs: number, bytes: number) {
  const frameOf = (more: number) =>
    encodeFrames([
      { index: 0, results: 1, isResult: true, payload: toBinary(OutboxRecordSchema, result(startUs, more)) },
    ]).length;
  return result(startUs, bytes - (frameOf(bytes - 100) - (bytes - 100)));
}

test('a file is closed, retired and dropped at its bound to the byte', async () => {
  const files = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.seg')).length;
  for (const [bytes, expected] of [
    [limits.segmentBytes - 1, 1] as const,
    [limits.segmentBytes, 2] as const,
  ]) {
    const folder = newFolder();
    await using outbox = await open(folder);
    for (const record of [framed(1, bytes), result(2)]) {
      outbox.append(record);
      await outbox.flushed();
    }
    expect(files(folder)).toBe(expected);
  }
  for (const [bytes, expected] of [
    [limits.worthRetiringBytes - 1, 1] as const,
    [limits.worthRetiringBytes, 0] as const,
  ]) {
    const folder = newFolder();
    await using outbox = await open(folder);
    outbox.setOnline(true);
    outbox.append(framed(1, bytes));
    await outbox.flushed();
    await outbox.ack(outbox.nextNew(1));
    expect(files(folder)).toBe(expected);
  }
  await using outbox = await open(newFolder(), { maxBytes: 2 * limits.segmentBytes });
  for (const start of [1, 2]) {
    outbox.append(framed(start, limits.segmentBytes));
    await outbox.flushed();
  }
  expect([outbox.bytes, outbox.records]).toEqual([2 * limits.segmentBytes, 2]);
  outbox.append(result(3));
  await outbox.flushed();
  outbox.setOnline(true);
  expect(gapsOf(outbox.nextNew(9))).toMatchObject([{ droppedResults: 1, reason: 'outbox full' }]);
});

test('while the disk refuses, memory keeps results up to a bound, over a lost connection too; further ones become a gap', async () => {
  const file = newFolder();
  writeFileSync(file, '');
  const folder = path.join(file, 'outbox');
  await using outbox = await open(folder);
  outbox.setOnline(true);
  outbox.append(result(1));
  await outbox.flushed();
  const taken = outbox.nextNew(10);
  expect(startsOf(taken)).toEqual([1]);
  await outbox.ack(taken);
  outbox.append(result(2));
  await outbox.flushed();
  outbox.setOnline(false);
  outbox.append(result(3));
  await outbox.flushed();
  outbox.setOnline(true);
  expect(gapsOf(outbox.nextNew(10))).toEqual([]);
  expect(startsOf(await outbox.nextBacklog(10))).toEqual([2, 3]);
  outbox.setOnline(false);
  for (let i = 4; i <= 6003; i += 1) {
    outbox.append(result(i));
    if (i % 100 === 0) await outbox.flushed();
  }
  await outbox.flushed();
  outbox.setOnline(true);
  const dropped = gapsOf(outbox.nextNew(10)).reduce((sum, gap) => sum + gap.droppedResults, 0);
  const retained: number[] = [];
  for (let part = await outbox.nextBacklog(500); part.length > 0; part = await outbox.nextBacklog(500)) {
    retained.push(...startsOf(part));
  }
  expect(dropped).toBeGreaterThan(900);
  expect(dropped + retained.length).toBe(6002);
  expect(retained.at(-1)).toBe(6003);
});

test('a gap is sent again until it is acknowledged, over restarts too', async () => {
  const folder = newFolder();
  const more = { maxBytes: 1 };
  const first = await open(folder, more);
  for (let i = 1; i <= 30; i += 1) first.append(result(i, 100_000));
  await first.flushed();
  first.append(result(31));
  await first.flushed();
  await first[Symbol.asyncDispose]();
  const second = await open(folder, more);
  second.setOnline(true);
  const [gap] = gapsOf(second.nextNew(10));
  expect(gap?.droppedResults).toBe(30);
  second.setOnline(false);
  second.setOnline(true);
  const again = second.nextNew(10);
  expect(gapsOf(again)[0]?.gapId).toBe(gap?.gapId);
  await second.ack(again);
  await second[Symbol.asyncDispose]();
  await using third = await open(folder, more);
  third.setOnline(true);
  expect(gapsOf(third.nextNew(10))).toEqual([]);
});

test('of long new records only some stay at hand; the others are read back from disk', async () => {
  await using outbox = await open(newFolder());
  outbox.setOnline(true);
  for (let i = 1; i <= 60; i += 1) outbox.append(result(i, 250_000));
  await outbox.flushed();
  const fresh = startsOf(outbox.nextNew(100));
  expect(fresh.length).toBeLessThanOrEqual(34);
  const older: number[] = [];
  for (let part = await outbox.nextBacklog(100, 1_000_000); part.length > 0; ) {
    expect(part.length).toBeLessThan(60);
    older.push(...startsOf(part));
    part = await outbox.nextBacklog(100, 1_000_000);
  }
  expect([...fresh, ...older]).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
});

test('long records that wait for a disk that does not answer are bounded by their bytes', async () => {
  await using outbox = await open(newFolder());
  // Nothing is written before the next turn of the event loop.
  for (let i = 1; i <= 100; i += 1) outbox.append(result(i, 250_000));
  await outbox.flushed();
  outbox.setOnline(true);
  const dropped = gapsOf(outbox.nextNew(100)).reduce((sum, gap) => sum + gap.droppedResults, 0);
  expect(dropped).toBe(100 - 68);
});
