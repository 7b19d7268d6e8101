import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { create, toBinary } from '@bufbuild/protobuf';
import { type OutboxRecord, OutboxRecordSchema } from '@vantage/proto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resultRecord } from '../testing/outbox-fixture.ts';
import { recoverSegments } from './recover-segments.ts';
import { encodeFrames } from './segment-frames.ts';

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vantage-recover-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const second = 1_000_000;
const coverage = create(OutboxRecordSchema, { record: { case: 'coverage', value: {} } });

/** Results at the seconds 10, 20, 40, 50 and 60; the third record is none. */
const starts = [10, 20, undefined, 40, 50, 60];

const records = starts.map(
  (start): OutboxRecord => (start === undefined ? coverage : resultRecord(start * second)),
);

const resultsIn = (from: number, to: number) =>
  starts.slice(from, to).filter((start) => start !== undefined).length;

const frames = records.map((record, index) =>
  encodeFrames([
    {
      index,
      results: resultsIn(0, index + 1),
      isResult: starts[index] !== undefined,
      payload: toBinary(OutboxRecordSchema, record),
    },
  ]),
);

/** The file was written last at this second. */
const endedS = 35;

const all = [0, 1, 2, 3, 4, 5];

/** The recovered segment of a file in which the records of [from, to) are damaged, and the first `done` have ended. */
async function recover(from: number, to: number, done: number) {
  const file = path.join(folder, '000000000007.seg');
  writeFileSync(
    file,
    Buffer.concat(
      frames.map((frame, at) => (at >= from && at < to ? Buffer.alloc(frame.length, 0x57) : frame)),
    ),
  );
  utimesSync(file, endedS, endedS);
  const counts = { frames: frames.length, results: resultsIn(0, frames.length), done };
  const { recovered, lastNo } = await recoverSegments(
    folder,
    () => counts,
    (error) => expect(error).toBeUndefined(),
  );
  expect([recovered.length, lastNo]).toEqual([1, 7]);
  return recovered[0] ?? expect.fail();
}

test('of a file with damaged records the others wait or have ended, and a loss names what the controller lacks', async () => {
  for (const from of all)
    for (const to of [...all, 6].slice(from + 1))
      for (const done of [...all, 6]) {
        const { segment, losses } = await recover(from, to, done);
        const isDamaged = (index: number) => index >= from && index < to;
        const states = all.map((index) => (isDamaged(index) ? 'done' : index < done ? 'acked' : 'waiting'));
        // Damage at the end of the file leaves no record behind.
        expect(all.map((index) => segment.states.at(index)).filter((state) => state !== undefined)).toEqual(
          to === 6 ? states.slice(0, from) : states,
        );
        expect(segment.wasAckedBefore).toBe(segment.states.includes('acked'));
        const seconds = starts.flatMap((start, index) =>
          start === undefined || isDamaged(index) ? [] : start,
        );
        expect(segment.bornMs).toBe((seconds[0] ?? endedS) * 1000);
        const dropped = resultsIn(from, to);
        const before = starts.slice(0, from).findLast((start) => start !== undefined);
        const after = starts.slice(to).find((start) => start !== undefined) ?? endedS;
        const begin = before ?? Math.min(after, endedS);
        expect(losses.map(({ gapId, ...loss }) => [gapId?.length, loss])).toEqual(
          dropped > 0 && to > done
            ? [
                [
                  48,
                  {
                    fromUs: begin * second,
                    toUs: Math.max(after, begin) * second,
                    dropped,
                    reason: 'damaged on disk',
                  },
                ],
              ]
            : [],
        );
      }
});

test('segments are found in the order of their numbers, and a file that cannot be read stays, is reported and keeps its number', async () => {
  const other = mkdtempSync(path.join(tmpdir(), 'vantage-recover-'));
  for (const no of [12, 3])
    writeFileSync(path.join(other, `${no}`.padStart(12, '0').concat('.seg')), frames[0] ?? '');
  writeFileSync(path.join(other, 'gaps.bin'), 'no segment');
  const unreadable = encodeFrames([{ index: 0, results: 0, isResult: false, payload: Buffer.from([0xff]) }]);
  writeFileSync(path.join(other, '000000000020.seg'), unreadable);
  const faults: unknown[] = [];
  const found: OutboxRecord[] = [];
  const { recovered, lastNo } = await recoverSegments(
    other,
    () => undefined,
    (error) => void faults.push(error),
    (record) => void found.push(record),
  );
  expect([recovered.map(({ segment }) => segment.no), lastNo, faults.length]).toEqual([[3, 12], 20, 1]);
  expect(found).toHaveLength(2);
  rmSync(other, { recursive: true });
});
