import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { newId } from '@vantage/kernel';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { afterAll, expect, test, vi } from 'vitest';
import {
  gapsOf,
  openTestOutbox as open,
  resultRecord as result,
  startsOf,
} from '../testing/outbox-fixture.ts';
import { openDataGaps } from './data-gaps.ts';
import type { Outbox } from './outbox.ts';

const root = mkdtempSync(path.join(tmpdir(), 'vantage-outbox-faults-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

let folders = 0;
const newFolder = () => path.join(root, String(folders++));
const segmentsOf = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.seg'));

/** Appends results from `from` to `to`, eleven to a segment. */
async function fill(outbox: Outbox, from: number, to: number): Promise<void> {
  for (let i = from; i <= to; i += 1) {
    outbox.append(result(i, 100_000));
    await outbox.flushed();
  }
}

test('a gap that was sent grows no more, because the controller may have it already: later losses get their own gap', async () => {
  const folder = newFolder();
  const more = { maxBytes: 1 };
  const first = await open(folder, more);
  await fill(first, 1, 12);
  first.setOnline(true);
  const [reported] = gapsOf(first.nextNew(10));
  expect(reported?.droppedResults).toBe(11);
  first.setOnline(false);
  await fill(first, 13, 23);
  first.setOnline(true);
  const both = gapsOf(first.nextNew(10));
  expect(both.map(({ droppedResults }) => droppedResults)).toEqual([11, 11]);
  expect(both[0]?.gapId).toBe(reported?.gapId);
  await first[Symbol.asyncDispose]();
  await using second = await open(folder, more);
  await fill(second, 24, 34);
  second.setOnline(true);
  const all = gapsOf(second.nextNew(10));
  expect(new Set(all.map(({ gapId }) => gapId)).size).toBe(all.length);
  expect(all.map(({ droppedResults }) => droppedResults).slice(0, 2)).toEqual([11, 11]);
  const retained = startsOf(await second.nextBacklog(1000));
  expect(all.reduce((sum, { droppedResults }) => sum + droppedResults, 0) + retained.length).toBe(34);
});

test('after a kill between the report of a drop and the removal of its file, the drop is reported once and nothing of it is sent', async () => {
  const folder = newFolder();
  const first = await open(folder, { maxBytes: 3 * 1024 * 1024 });
  await fill(first, 1, 20);
  const [oldest = ''] = segmentsOf(folder);
  const rescued = path.join(root, 'rescued.seg');
  copyFileSync(path.join(folder, oldest), rescued);
  await fill(first, 21, 33);
  await first[Symbol.asyncDispose]();
  expect(existsSync(path.join(folder, oldest))).toBe(false);
  copyFileSync(rescued, path.join(folder, oldest));
  await using second = await open(folder, { maxBytes: 3 * 1024 * 1024 });
  second.setOnline(true);
  const gaps = gapsOf(second.nextNew(10));
  const retained = startsOf(await second.nextBacklog(1000));
  expect(gaps.map(({ droppedResults }) => droppedResults)).toEqual([11]);
  expect(retained).toEqual(Array.from({ length: 22 }, (_, i) => 12 + i));
  expect(segmentsOf(folder)).not.toContain(oldest);
});

test('records acknowledged before a kill are neither sent again nor counted when their segment is dropped', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.setOnline(true);
  for (let i = 1; i <= 10; i += 1) first.append(result(i, 100));
  await first.flushed();
  const taken = first.nextNew(10);
  await first.ack(taken.slice(0, 4));
  await first.ack(taken.slice(6, 8));
  const second = await open(copyOf(folder));
  second.setOnline(true);
  expect(startsOf(await second.nextBacklog(100))).toEqual([5, 6, 7, 8, 9, 10]);
  const damaged = copyOf(folder);
  const [name = ''] = segmentsOf(damaged);
  const bytes = readFileSync(path.join(damaged, name));
  bytes.fill(0, 0, 200);
  writeFileSync(path.join(damaged, name), bytes);
  await using unhurt = await open(damaged);
  unhurt.setOnline(true);
  expect(gapsOf(unhurt.nextNew(10))).toEqual([]);
  const third = await open(copyOf(folder), { maxBytes: 1 });
  third.append(result(11));
  await third.flushed();
  third.setOnline(true);
  expect(gapsOf(third.nextNew(10)).map(({ droppedResults }) => droppedResults)).toEqual([6]);
  for (const each of [first, second, third]) await each[Symbol.asyncDispose]();
});

test('a segment never gets the number of a removed one, whose gap or counts would then apply to it', async () => {
  const folder = newFolder();
  const first = await open(folder, { maxBytes: 1 });
  await fill(first, 1, 12);
  await first[Symbol.asyncDispose]();
  for (const name of segmentsOf(folder)) rmSync(path.join(folder, name));
  const second = await open(folder);
  second.append(result(100));
  await second.flushed();
  expect(segmentsOf(folder)).toEqual(['000000000003.seg']);
  await using third = await open(copyOf(folder));
  third.setOnline(true);
  expect(startsOf(await third.nextBacklog(10))).toEqual([100]);
  expect(gapsOf(third.nextNew(10)).map(({ droppedResults }) => droppedResults)).toEqual([11]);
  await second[Symbol.asyncDispose]();
});

test('a file that cannot be read for some time loses nothing; only files are read of which a record is asked for', async () => {
  const folder = newFolder();
  const faults: string[] = [];
  await using outbox = await open(folder, { onFault: (text) => void faults.push(text) });
  await fill(outbox, 1, 26);
  outbox.setOnline(true);
  const [first = '', second = ''] = segmentsOf(folder);
  const move = (from: string, to: string) => renameSync(path.join(folder, from), path.join(folder, to));
  const starts = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  move(first, 'away');
  expect(startsOf(await outbox.nextBacklog(5))).toEqual(starts(12, 16));
  expect(faults).toHaveLength(1);
  move('away', first);
  move(second, 'away');
  expect(startsOf(await outbox.nextBacklog(4))).toEqual(starts(1, 4));
  // A file that grows no more is read once.
  move(first, 'away too');
  expect(startsOf(await outbox.nextBacklog(7))).toEqual(starts(5, 11));
  expect(faults).toHaveLength(1);
  move('away', second);
  expect(startsOf(await outbox.nextBacklog(100))).toEqual(starts(17, 26));
  expect(gapsOf(outbox.nextNew(10))).toEqual([]);
});

test('a host whose clock is ten days behind the controller keeps what it wrote over a restart', async () => {
  const folder = newFolder();
  const nowMs = () => Date.now() + 10 * 24 * 3600 * 1000;
  const first = await open(folder, { nowMs });
  for (let i = 0; i < 12; i += 1) first.append(result(nowMs() * 1000 + i, 100_000));
  await first[Symbol.asyncDispose]();
  await using second = await open(folder, { nowMs });
  second.append(result(nowMs() * 1000 + 100));
  await second.flushed();
  second.setOnline(true);
  expect(gapsOf(second.nextNew(10))).toEqual([]);
  expect(startsOf(await second.nextBacklog(100)).length).toBe(13);
});

test('a reason in any script, however long, fits into its slot', async () => {
  const folder = newFolder();
  mkdirSync(folder);
  const more = { folder, newId, onFault: (error: unknown) => expect(error).toBeUndefined() };
  const first = await openDataGaps(more);
  await first.add({ fromUs: 5, toUs: 6, dropped: 1, reason: 'ж'.repeat(500) });
  await first[Symbol.asyncDispose]();
  await using second = await openDataGaps(more);
  expect(second.take()).toMatchObject([{ droppedResults: 1, fromUs: 5n, toUs: 6n }]);
});

test('the retry store is written before records leave the disk, and finds the records that stayed', async () => {
  const folder = newFolder();
  const seen: boolean[] = [];
  const beforeDelete = async () => void seen.push(segmentsOf(folder).length > 0);
  const first = await open(folder, { beforeDelete });
  await fill(first, 1, 15);
  first.setOnline(true);
  const old = await first.nextBacklog(11);
  await first.ack(old);
  expect(seen).toEqual([true]);
  await first[Symbol.asyncDispose]();
  const found: OutboxRecord[] = [];
  await using _second = await open(folder, { onStored: (record) => found.push(record) });
  expect(found.map(({ record }) => (record.case === 'result' ? Number(record.value.startUs) : 0))).toEqual([
    12, 13, 14, 15,
  ]);
});

test('records in flight are not dropped by age, nor are younger ones in their place', async () => {
  const folder = newFolder();
  let nowMs = Date.now();
  const first = await open(folder, { nowMs: () => nowMs });
  await fill(first, 1, 11);
  nowMs += 6 * 24 * 3600 * 1000;
  await fill(first, 12, 22);
  first.setOnline(true);
  const old = await first.nextBacklog(3);
  nowMs += 2 * 24 * 3600 * 1000;
  await fill(first, 23, 23);
  expect(gapsOf(first.nextNew(0))).toEqual([]);
  await first.ack(old);
  await fill(first, 24, 24);
  expect(gapsOf(first.nextNew(0)).map(({ droppedResults }) => droppedResults)).toEqual([8]);
  expect(startsOf(await first.nextBacklog(100))).toEqual(Array.from({ length: 11 }, (_, i) => 12 + i));
  await first[Symbol.asyncDispose]();
});

test('results in memory only, because the disk refused them, are reported as lost after a kill, unless they were acknowledged', async () => {
  const folder = newFolder();
  const first = await open(folder);
  first.setOnline(true);
  // Nothing can be made here any more; what is open already can be written.
  const away = `${folder}-away`;
  renameSync(folder, away);
  for (let i = 1; i <= 5; i += 1) {
    first.append(result(i));
    await first.flushed();
  }
  const taken = first.nextNew(10);
  expect(startsOf(taken)).toEqual([1, 2, 3, 4, 5]);
  await first.ack(taken.slice(0, 2));
  renameSync(away, folder);
  const second = await open(copyOf(folder));
  second.setOnline(true);
  const [gap, ...none] = gapsOf(second.nextNew(10));
  expect(gap).toMatchObject({ droppedResults: 3, fromUs: 3n, toUs: 5n });
  expect(none).toEqual([]);
  await first.ack(taken.slice(2));
  await using third = await open(copyOf(folder));
  third.setOnline(true);
  expect(gapsOf(third.nextNew(10))).toEqual([]);
  await first[Symbol.asyncDispose]();
  await second[Symbol.asyncDispose]();
});

function copyOf(folder: string): string {
  const copy = newFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

test('a disk that refuses a write for another reason than room costs no older result', async () => {
  const folder = newFolder();
  await using outbox = await open(folder);
  await fill(outbox, 1, 12);
  renameSync(folder, `${folder}-away`);
  await fill(outbox, 13, 24);
  renameSync(`${folder}-away`, folder);
  outbox.setOnline(true);
  expect(gapsOf(outbox.nextNew(10))).toEqual([]);
  expect(startsOf(await outbox.nextBacklog(1000))).toEqual(Array.from({ length: 24 }, (_, i) => 1 + i));
});

test('a full disk costs the oldest results, as many as give the new ones room, and only where there are new results', async () => {
  const folder = newFolder();
  await using outbox = await open(folder);
  await fill(outbox, 1, 25);
  const before = segmentsOf(folder);
  const coverage = create(OutboxRecordSchema, { record: { case: 'coverage', value: {} } });
  await using handle = await openFile(folder);
  const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });
  using sync = vi.spyOn(Object.getPrototypeOf(handle), 'datasync').mockRejectedValueOnce(full);
  outbox.append(coverage);
  await outbox.flushed();
  expect(segmentsOf(folder)).toEqual(before);
  sync.mockRejectedValueOnce(full);
  outbox.append(result(26));
  await outbox.flushed();
  outbox.setOnline(true);
  const [gap, ...none] = gapsOf(outbox.nextNew(10));
  expect(gap).toMatchObject({ fromUs: 1n, toUs: 11n, droppedResults: 11, reason: 'disk full' });
  expect(none).toEqual([]);
  expect(startsOf(await outbox.nextBacklog(100))).toEqual(Array.from({ length: 15 }, (_, i) => 12 + i));
});
