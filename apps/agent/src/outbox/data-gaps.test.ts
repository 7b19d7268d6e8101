import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { GapRecordSchema } from '@vantage/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DataGaps, type Loss, openDataGaps } from './data-gaps.ts';

const slots = 128;
let folder: string;
let ids: number;
let faults: unknown[];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-gaps-'));
  ids = 0;
  faults = [];
});

afterEach(() => rmSync(folder, { recursive: true }));

const open = () =>
  openDataGaps({
    folder,
    newId: () => {
      ids += 1;
      return `id${ids}`;
    },
    onFault: (error) => void faults.push(error),
  });

const loss = (more: Partial<Loss> = {}): Loss => ({
  fromUs: 10,
  toUs: 20,
  dropped: 1,
  reason: 'why',
  ...more,
});

const taken = (gaps: DataGaps) =>
  gaps
    .take()
    .map(({ gapId, fromUs, toUs, droppedResults, reason }) => [
      gapId,
      Number(fromUs),
      Number(toUs),
      droppedResults,
      reason,
    ]);

test('losses of one reason are one gap until it is sent, and another one afterwards', async () => {
  await using gaps = await open();
  await gaps.add(loss());
  await gaps.add(loss({ fromUs: 5, toUs: 15, dropped: 2 }));
  await gaps.add(loss({ reason: 'other', toUs: 30 }));
  expect(gaps.waiting).toBe(2);
  expect(taken(gaps)).toEqual([
    ['id1', 5, 20, 3, 'why'],
    ['id2', 10, 30, 1, 'other'],
  ]);
  expect(taken(gaps)).toEqual([]);
  await gaps.add(loss({ fromUs: 40, toUs: 50 }));
  expect(taken(gaps)).toEqual([['id3', 40, 50, 1, 'why']]);
  gaps.release();
  expect(gaps.take()).toHaveLength(3);
});

test('a gap with an id of its own is there once, and nothing is added to another for it', async () => {
  await using gaps = await open();
  await gaps.add(loss());
  await gaps.add(loss({ gapId: 'own' }));
  await gaps.add(loss({ gapId: 'own' }));
  // The controller may have `own` from an earlier run, and would not take its greater count.
  await gaps.add(loss({ dropped: 2 }));
  expect(taken(gaps)).toEqual([
    ['id1', 10, 20, 3, 'why'],
    ['own', 10, 20, 1, 'why'],
  ]);
});

test('gaps outlast a run, with the segment that they report, until they are acknowledged', async () => {
  {
    await using gaps = await open();
    await gaps.add(loss({ segmentNo: 7 }));
    await gaps.add(loss({ reason: 'other', segmentNo: 3 }));
    expect(gaps.lastSegmentNo).toBe(7);
  }
  await using again = await open();
  expect([again.waiting, again.lastSegmentNo]).toEqual([2, 7]);
  expect([7, 3, 5].map((no) => again.reports(no))).toEqual([true, true, false]);
  // An earlier run may have sent it, so it does not grow.
  await again.add(loss());
  const [first] = again.take();
  expect([first?.droppedResults, again.waiting]).toEqual([1, 3]);
  if (first !== undefined) await again.ack(first);
  if (first !== undefined) await again.ack(first);
  expect([again.waiting, again.lastSegmentNo, again.reports(7)]).toEqual([2, 3, false]);
  await again[Symbol.asyncDispose]();
  await using third = await open();
  expect([third.waiting, faults]).toEqual([2, []]);
});

test('where all slots are taken, the newest gap that was not sent grows, else the last one is replaced', async () => {
  await using gaps = await open();
  for (let no = 1; no < slots; no += 1) await gaps.add(loss({ reason: `reason ${no}` }));
  expect(gaps.take()).toHaveLength(slots - 1);
  await gaps.add(loss({ reason: 'last' }));
  await gaps.add(loss({ reason: 'one more', dropped: 4 }));
  expect(taken(gaps)).toEqual([[`id${slots}`, 10, 20, 5, 'last']]);
  await gaps.add(loss({ reason: 'too many' }));
  expect(gaps.waiting).toBe(slots);
  expect(taken(gaps)).toEqual([[`id${slots + 1}`, 10, 20, 6, 'last']]);
  gaps.release();
  const [first] = gaps.take();
  if (first !== undefined) await gaps.ack(first);
  await gaps.add(loss({ reason: 'in the first place' }));
  await gaps.add(loss({ reason: 'and more' }));
  expect(taken(gaps)).toEqual([[`id${slots + 2}`, 10, 20, 2, 'in the first place']]);
});

test('where all slots are taken, results that were in memory only are added to the last gap, and none is lost', async () => {
  {
    await using gaps = await open();
    for (let no = 1; no <= slots; no += 1) await gaps.add(loss({ reason: `reason ${no}` }));
    await gaps.recordUnstored(loss({ fromUs: 5, toUs: 50, dropped: 7, reason: 'unstored' }));
  }
  await using again = await open();
  const all = taken(again);
  expect(all).toHaveLength(slots);
  expect(all.at(-1)).toEqual([`id${slots + 1}`, 5, 50, 8, `reason ${slots}`]);
});

test('results that are in memory only are a gap of the next run, unless they are released', async () => {
  {
    await using gaps = await open();
    await gaps.recordUnstored(undefined);
    await gaps.recordUnstored(loss({ dropped: 3 }));
    await gaps.recordUnstored(loss({ dropped: 4 }));
    expect([gaps.waiting, ids]).toEqual([0, 1]);
  }
  {
    await using again = await open();
    expect(taken(again)).toEqual([['id1', 10, 20, 4, 'why']]);
    await again.recordUnstored(loss({ dropped: 9 }));
    await again.recordUnstored(undefined);
  }
  {
    await using third = await open();
    const [gap] = third.take();
    expect(gap).toMatchObject({ gapId: 'id1', droppedResults: 4 });
    if (gap !== undefined) await third.ack(gap);
  }
  await using fourth = await open();
  expect(fourth.take()).toEqual([]);
});

test('a long reason is cut to its bytes, and a damaged slot is no gap', async () => {
  const file = path.join(folder, 'gaps.bin');
  {
    await using gaps = await open();
    await gaps.add(loss({ reason: 'x'.repeat(300) }));
    await gaps.add(loss({ reason: 'x'.repeat(200), dropped: 2 }));
    await gaps.add(loss({ reason: 'intact' }));
    expect(gaps.waiting).toBe(2);
  }
  const content = readFileSync(file);
  expect(content.length).toBe(512 * (slots + 1));
  content.writeUInt8(content.readUInt8(20) ^ 1, 20);
  writeFileSync(file, content);
  await using again = await open();
  expect(taken(again)).toEqual([['id2', 10, 20, 1, 'intact']]);
});

test('a gap that fills its slot to the last byte outlasts a run', async () => {
  const bytesOf = (gapId: string) =>
    toBinary(
      GapRecordSchema,
      create(GapRecordSchema, { gapId, fromUs: 10n, toUs: 20n, droppedResults: 1, reason: 'why' }),
    ).length;
  const room = 512 - 6 - 8;
  const gapId = 'x'.repeat(400 + room - bytesOf('x'.repeat(400)));
  expect(bytesOf(gapId)).toBe(room);
  {
    await using gaps = await open();
    await gaps.add(loss({ gapId, segmentNo: 9 }));
  }
  await using again = await open();
  expect([taken(again), again.lastSegmentNo]).toEqual([[[gapId, 10, 20, 1, 'why']], 9]);
});
