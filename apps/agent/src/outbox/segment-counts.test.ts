import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SegmentCounts } from './segment.ts';
import { openSegmentCounts } from './segment-counts.ts';

/** Segments whose numbers differ by this share a place of the file; the later one has it. */
const slots = 4096;

const slotBytes = 20;
let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-counts-'));
  file = path.join(folder, 'counts.bin');
});

afterEach(() => rmSync(folder, { recursive: true }));

const open = () => openSegmentCounts(folder, (error) => expect(error).toBeUndefined());
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });

const no = fc
  .tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 3 }))
  .map(([lap, at]) => lap * slots + at);

test('the counts of the newest segments outlast a run, each in its own place; of older ones nothing is known', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(no, fc.record({ frames: u32, results: u32, done: u32 })), {
        minLength: 1,
        maxLength: 8,
      }),
      async (writes) => {
        rmSync(file, { force: true });
        const places = new Map<number, readonly [number, SegmentCounts]>();
        {
          await using counts = await open();
          for (const [each, value] of writes) {
            await counts.set(each, value);
            places.set(each % slots, [each, value]);
          }
        }
        await using again = await open();
        const expected = new Map(places.values());
        for (let lap = 0; lap < 3; lap += 1)
          for (let at = 0; at < 4; at += 1)
            expect(again.of(lap * slots + at)).toEqual(expected.get(lap * slots + at));
        expect(again.lastNo).toBe(Math.max(...expected.keys()));
      },
    ),
    { numRuns: 30 },
  );
});

test('a damaged place is unknown, the others stay, and a file that is whole is not written again', async () => {
  const value = { frames: 3, results: 2, done: 1 };
  {
    await using counts = await open();
    for (const each of [1, 2]) await counts.set(each, value);
  }
  const bytes = readFileSync(file);
  expect(bytes.length).toBe(slots * slotBytes);
  bytes.writeUInt8(bytes.readUInt8(2 * slotBytes + 7) ^ 1, 2 * slotBytes + 7);
  writeFileSync(file, bytes);
  utimesSync(file, 100, 100);
  await using again = await open();
  expect([again.of(1), again.of(2), again.lastNo]).toEqual([value, undefined, 1]);
  expect(statSync(file).mtimeMs).toBe(100_000);
});
