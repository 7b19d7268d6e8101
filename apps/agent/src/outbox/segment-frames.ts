import { crc32 } from 'node:zlib';
import { messageBytes } from '@vantage/domain';
import type { SegmentCounts } from './segment.ts';

/*
 * A frame of a segment file, big-endian:
 *   u16 0x5643 | u32 index in the segment | u32 results | u32 length | u32 crc32 of all but the first field | payload
 * `results` is twice the number of check results up to and including this frame, plus one if this frame is a result.
 * Index and count show how many frames and results a damaged part had. The first field lets the reader find the next
 * good frame.
 */
const frameMagic = 0x5643;

export const headBytes = 18;

/** One record of a segment file. */
export interface SegmentFrame {
  readonly index: number;
  /** Check results in the segment up to and including this frame. */
  readonly results: number;
  readonly isResult: boolean;
  readonly payload: Uint8Array;
}

/** An unreadable part of a segment file. */
interface Damage {
  /** Index of the first record lost. */
  readonly index: number;
  /** Check results lost with it. At the end of a file without known counts this is a lower bound. */
  readonly results: number;
}

interface SegmentContent {
  readonly frames: readonly SegmentFrame[];
  readonly damages: readonly Damage[];
}

/** Writes a payload into `file`, as the frame that begins at `at`. */
function putFrame(file: Buffer, at: number, { index, results, isResult, payload }: SegmentFrame): void {
  file.writeUInt16BE(frameMagic, at);
  file.writeUInt32BE(index, at + 2);
  file.writeUInt32BE(results * 2 + Number(isResult), at + 6);
  file.writeUInt32BE(payload.length, at + 10);
  file.set(payload, at + headBytes);
  file.writeUInt32BE(checksumOf(file, at, payload.length), at + 14);
}

/** Encodes frames one after the other. */
export function encodeFrames(frames: readonly SegmentFrame[]): Buffer {
  const bytes = frames.reduce((sum, { payload }) => sum + headBytes + payload.length, 0);
  // Do not use Node's pool: records at hand are views of this buffer and would keep other parts of the pool in memory.
  const file = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const frame of frames) {
    putFrame(file, at, frame);
    at += headBytes + frame.payload.length;
  }
  return file;
}

/**
 * Reads a whole segment file, damaged or not. The payloads share the file's memory. `known`: the counts at the last
 * write.
 */
export function decodeFrames(
  file: Buffer,
  known: Pick<SegmentCounts, 'frames' | 'results'> = { frames: 0, results: 0 },
): SegmentContent {
  const frames: SegmentFrame[] = [];
  const damages: Damage[] = [];
  let expected = 0;
  let results = 0;
  let isTorn = false;
  for (let at = 0; at < file.length; ) {
    const frame = frameAt(file, at);
    if (frame === undefined || frame.index < expected) {
      at = nextFrame(file, at + 1, expected);
      isTorn = at === file.length;
      continue;
    }
    const before = frame.results - Number(frame.isResult);
    if (frame.index > expected) damages.push({ index: expected, results: before - results });
    frames.push(frame);
    expected = frame.index + 1;
    results = frame.results;
    at += headBytes + frame.payload.length;
  }
  if (known.frames > expected) damages.push({ index: expected, results: known.results - results });
  else if (isTorn) damages.push({ index: expected, results: 1 });
  return { frames, damages: damages.filter((damage) => damage.results > 0) };
}

function nextFrame(file: Buffer, from: number, expected: number): number {
  for (let at = from; at <= file.length - headBytes; at += 1) {
    if (file[at] !== frameMagic >> 8) continue;
    const frame = frameAt(file, at);
    if (frame !== undefined && frame.index >= expected) return at;
  }
  return file.length;
}

function frameAt(file: Buffer, at: number): SegmentFrame | undefined {
  if (at + headBytes > file.length || file.readUInt16BE(at) !== frameMagic) return undefined;
  const length = file.readUInt32BE(at + 10);
  // No message can have a longer record, so a larger length is damage.
  if (length > messageBytes || at + headBytes + length > file.length) return undefined;
  if (file.readUInt32BE(at + 14) !== checksumOf(file, at, length)) return undefined;
  const start = at + headBytes;
  const counted = file.readUInt32BE(at + 6);
  return {
    index: file.readUInt32BE(at + 2),
    results: Math.floor(counted / 2),
    isResult: counted % 2 === 1,
    payload: file.subarray(start, start + length),
  };
}

function checksumOf(file: Buffer, at: number, length: number): number {
  const head = crc32(file.subarray(at + 2, at + 14));
  return crc32(file.subarray(at + headBytes, at + headBytes + length), head);
}
