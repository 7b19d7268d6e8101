import { crc32 } from 'node:zlib';

/*
 * A frame of a segment file, big-endian:
 *   u16 mark 0x5642 | u32 index in the segment | u32 length | u32 crc32 of index, length and payload | payload
 * The index tells how many frames a damaged stretch held; the mark lets the reader find the next good frame.
 */
const mark = 0x5642;
const headBytes = 14;
/** A record is never longer than this; a length beyond it is damage. */
const maxPayloadBytes = 4 * 1024 * 1024;

/** One record as it stands in a segment file. */
export interface Frame {
  readonly index: number;
  readonly payload: Uint8Array;
}

/** A stretch of a segment file that can't be read. */
export interface Damage {
  /** Index of the first record lost. */
  readonly index: number;
  /** How many records were lost; at the end of a file at least this many. */
  readonly lost: number;
}

/** What a segment file holds. */
export interface SegmentContent {
  readonly frames: readonly Frame[];
  readonly damages: readonly Damage[];
}

/** A payload as a frame. */
export function encodeFrame(index: number, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(headBytes + payload.length);
  frame.writeUInt16BE(mark, 0);
  frame.writeUInt32BE(index, 2);
  frame.writeUInt32BE(payload.length, 6);
  frame.set(payload, headBytes);
  frame.writeUInt32BE(checksumOf(frame, 0, payload.length), 10);
  return frame;
}

/** Reads a whole segment file, whatever happened to it. Payloads share the file's memory. */
export function decodeFrames(file: Buffer): SegmentContent {
  const frames: Frame[] = [];
  const damages: Damage[] = [];
  let expected = 0;
  for (let at = 0; at < file.length; ) {
    const frame = frameAt(file, at);
    if (frame !== undefined && frame.index >= expected) {
      if (frame.index > expected) damages.push({ index: expected, lost: frame.index - expected });
      frames.push(frame);
      expected = frame.index + 1;
      at += headBytes + frame.payload.length;
      continue;
    }
    at = nextFrame(file, at + 1, expected);
    if (at === file.length) damages.push({ index: expected, lost: 1 });
  }
  return { frames, damages };
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
  const length = file.readUInt32BE(at + 6);
  if (length > maxPayloadBytes || at + headBytes + length > file.length) return undefined;
  if (file.readUInt32BE(at + 10) !== checksumOf(file, at, length)) return undefined;
  const start = at + headBytes;
  return { index: file.readUInt32BE(at + 2), payload: file.subarray(start, start + length) };
}

function checksumOf(file: Buffer, at: number, length: number): number {
  const head = crc32(file.subarray(at + 2, at + 10));
  return crc32(file.subarray(at + headBytes, at + headBytes + length), head);
}
