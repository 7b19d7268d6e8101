import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFrames, encodeFrames } from './segment-frames.ts';

const payload = fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ minLength: 0, maxLength: 60 }));
const payloads = fc.array(payload, { minLength: 1, maxLength: 12 });

/** Every third frame is no check result. */
const isResult = (index: number) => index % 3 !== 2;

const resultsIn = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => from + i).filter(isResult).length;

const frameOf = (index: number, payload: Uint8Array) =>
  encodeFrames([{ index, results: resultsIn(0, index + 1), isResult: isResult(index), payload }]);

function fileOf(all: readonly Uint8Array[]): Buffer {
  return Buffer.concat(all.map((payload, index) => frameOf(index, payload)));
}

test('frames are read as they were written', () => {
  fc.assert(
    fc.property(payloads, (all) => {
      const { frames, damages } = decodeFrames(fileOf(all));
      expect(damages).toEqual([]);
      expect(frames.map(({ payload }) => [...payload])).toEqual(all.map((payload) => [...payload]));
    }),
  );
});

test('of a file cut at any byte every whole frame is read; a torn one is noticed, and with counts every missing one', () => {
  fc.assert(
    fc.property(payloads, fc.nat(), fc.option(fc.nat(12)), (all, where, counted) => {
      const file = fileOf(all);
      const cut = where % (file.length + 1);
      const knownFrames = Math.min(counted ?? 0, all.length);
      const known = { frames: knownFrames, results: resultsIn(0, knownFrames) };
      const { frames, damages } = decodeFrames(file.subarray(0, cut), counted === null ? undefined : known);
      let end = 0;
      let whole = 0;
      for (const [index, payload] of all.entries()) {
        end += frameOf(index, payload).length;
        if (end <= cut) whole = index + 1;
      }
      const boundary = fileOf(all.slice(0, whole)).length;
      expect(frames.length).toBe(whole);
      // Behind the last known frame a torn one is one more.
      const results = knownFrames > whole ? resultsIn(whole, knownFrames) : Number(cut > boundary);
      expect(damages).toEqual(results > 0 ? [{ index: whole, results }] : []);
    }),
  );
});

test('a flipped bit loses its frame, and the loss of a result is reported', () => {
  fc.assert(
    fc.property(payloads, fc.nat(), (all, where) => {
      const file = fileOf(all);
      const bit = where % (file.length * 8);
      const byte = Math.floor(bit / 8);
      file[byte] = (file[byte] ?? 0) ^ (1 << (bit % 8));
      const known = { frames: all.length, results: resultsIn(0, all.length) };
      const { frames, damages } = decodeFrames(file, known);
      let end = 0;
      const hit = all.findIndex((payload, index) => {
        end += frameOf(index, payload).length;
        return byte < end;
      });
      expect(damages).toEqual(isResult(hit) ? [{ index: hit, results: 1 }] : []);
      expect(frames.map(({ index }) => index)).toEqual(all.map((_, index) => index).filter((i) => i !== hit));
    }),
    { numRuns: 500 },
  );
});

test('overwritten frames are counted', () => {
  const all = Array.from({ length: 10 }, (_, i) => Buffer.alloc(20, i));
  const file = fileOf(all);
  const size = frameOf(0, Buffer.alloc(20)).length;
  file.fill(0x57, 3 * size + 5, 6 * size + 1);
  const { frames, damages } = decodeFrames(file);
  expect(damages).toEqual([{ index: 3, results: 3 }]);
  expect(frames.length).toBe(6);
});

test('bytes between frames that belong to none cost no frame', () => {
  fc.assert(
    fc.property(payloads, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 30 }), (all, where, garbage) => {
      const files = all.map((each, index) => frameOf(index, each));
      files.splice(where % (all.length + 1), 0, Buffer.from(garbage));
      const { frames } = decodeFrames(Buffer.concat(files));
      expect(frames.map((frame) => [...frame.payload])).toEqual(all.map((each) => [...each]));
    }),
  );
});

test('a record of 4 MiB is read, a longer one is damage', () => {
  const most = 4 * 1024 * 1024;
  expect([most, most + 1].map((size) => decodeFrames(frameOf(0, Buffer.alloc(size))).frames.length)).toEqual([
    1, 0,
  ]);
});
