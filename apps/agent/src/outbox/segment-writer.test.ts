import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { encoded, resultRecord } from '../testing/outbox-fixture.ts';
import { addRecord } from './segment.ts';
import { decodeFrames } from './segment-frames.ts';
import { createWriter } from './segment-writer.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-writer-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The next fsync of any file fails, after the bytes were written. */
async function refuseNextSync() {
  await using handle = await open(folder);
  return vi.spyOn(Object.getPrototypeOf(handle), 'datasync').mockRejectedValueOnce(new Error('refused'));
}

test('what the disk refuses is taken back: an empty file goes, another keeps what it had, and the next record begins a file', async () => {
  let no = 0;
  const writer = createWriter({ folder, nextNo: () => ++no, nowMs: () => 5 });
  const write = async (start: number) => {
    const one = encoded(resultRecord(start));
    const { segment } = await writer.write([one]);
    addRecord(segment, one, 'waiting');
    return segment;
  };
  {
    using _refused = await refuseNextSync();
    await expect(write(1)).rejects.toThrow('refused');
  }
  expect([readdirSync(folder), writer.active]).toEqual([[], undefined]);
  const segment = await write(2);
  const file = segment.file ?? '';
  const before = readFileSync(file);
  expect([segment.bytes, segment.bornMs, writer.active]).toEqual([before.length, 5, segment]);
  {
    using _refused = await refuseNextSync();
    await expect(write(3)).rejects.toThrow('refused');
  }
  expect([readFileSync(file), segment.bytes, writer.active]).toEqual([before, before.length, undefined]);
  const next = await write(4);
  await write(5);
  expect([next.no, readdirSync(folder).length]).toEqual([3, 2]);
  expect(
    decodeFrames(readFileSync(next.file ?? '')).frames.map(({ index, results }) => [index, results]),
  ).toEqual([
    [0, 1],
    [1, 2],
  ]);
  expect([await writer.seal(), writer.active, await writer.seal()]).toEqual([next, undefined, undefined]);
});
