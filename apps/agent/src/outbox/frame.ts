import { crc32 } from 'node:zlib';
import { messageBytes } from '@vantage/domain';

/*
 * A frame of a segment file, big-endian:
 *   u16 mark 0x5643 | u32 index in the segment | u32 results | u32 length | u32 crc32 of all but the mark | payload
 * `results` counts the check results up to and with this frame, times two, plus one where it is itself a result. Index
 * and count show how many frames, and how many results, a damaged part held; the mark lets the reader find the next
 * good frame.
 */
const mark = 0x5643;
const headBytes = 18;

/** One record of a segment file. */
export interface Frame {
  readonly index: number;
  /** Check results in the segment up to and with this frame. */
  readonly results: number;
  readonly isResult: boolean;
  readonly payload: Uint8Array;
}

/** A part of a segment file that cannot be read. */
interface Damage {
  /** Index of the first record lost. */
  readonly index: number;
  /** So many check results were lost with it; at the end of a file without known counts, at least so many. */
  readonly results: number;
}

/** The counts of a segment when it was last written. */
export interface Counts {
  readonly frames: number;
  readonly results: number;
  /** So many of its first records are acknowledged, or were lost and reported. */
  readonly done: number;
}

/** The content of a segment file. */
export interface SegmentContent {
  readonly frames: readonly Frame[];
  readonly damages: readonly Damage[];
}

/** A payload as a frame; `results` counts the check results up to and with it. */
export function encodeFrame(
  { index, results, isResult }: Pick<Frame, 'index' | 'results' | 'isResult'>,
  payload: Uint8Array,
): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt16BE(mark, 0);
  frame.writeUInt32BE(index, 2);
  frame.writeUInt32BE(results * 2 + Number(isResult), 6);
  frame.writeUInt32BE(payload.length, 10);
  frame.set(payload, headBytes);
  frame.writeUInt32BE(checksumOf(frame, 0, payload.length), 14);
  return frame;
}

/**
 * Reads a whole segment file, damaged or not. Payloads share the file's memory. `known` is its content when it was last
 * written.
 */
export function decodeFrames(
  file: Buffer,
  known: Pick<Counts, 'frames' | 'results'> = { frames: 0, results: 0 },
): SegmentContent {
  const frames: Frame[] = [];
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
    if (file[at] !== mark >> 8) continue;
    const frame = frameAt(file, at);
    if (frame !== undefined && frame.index >= expected) return at;
  }
  return file.length;
}

function frameAt(file: Buffer, at: number): Frame | undefined {
  if (at + headBytes > file.length || file.readUInt16BE(at) !== mark) return undefined;
  const length = file.readUInt32BE(at + 10);
  // No message can carry a longer record, so a length beyond it is damage.
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
