import { type FileHandle, open, readFile, unlink } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { messageBytes } from '@vantage/domain';
import { ignoreMissing, syncFolder } from '@vantage/kernel';
import { openOrMake, writeAll } from '../storage/disk.ts';
import { type Counts, createSegment, type EncodedRecord, type Segment } from './segment.ts';

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
interface Frame {
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

/** The content of a segment file. */
interface SegmentContent {
  readonly frames: readonly Frame[];
  readonly damages: readonly Damage[];
}

/** Writes a payload into `file`, as the frame that begins at `at`. */
function putFrame(file: Buffer, at: number, { index, results, isResult, payload }: Frame): void {
  file.writeUInt16BE(mark, at);
  file.writeUInt32BE(index, at + 2);
  file.writeUInt32BE(results * 2 + Number(isResult), at + 6);
  file.writeUInt32BE(payload.length, at + 10);
  file.set(payload, at + headBytes);
  file.writeUInt32BE(checksumOf(file, at, payload.length), at + 14);
}

/** Frames one after the other. */
export function encodeFrames(frames: readonly Frame[]): Buffer {
  const bytes = frames.reduce((sum, { payload }) => sum + headBytes + payload.length, 0);
  // Not of Node's pool: records at hand are views of it, and would keep the pool's other parts in memory.
  const file = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const frame of frames) {
    putFrame(file, at, frame);
    at += headBytes + frame.payload.length;
  }
  return file;
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

/** Records that are on disk. */
interface Written {
  readonly segment: Segment;
  /** The records' payloads, as parts of one buffer: an array of its own for each costs the garbage collector more. */
  readonly payloads: readonly Uint8Array[];
}

/** Writes records to the end of the newest segment's file. */
interface SegmentWriter {
  /**
   * Resolves when all records are on disk; the caller adds the records to the segment. Rejects when
   * the disk refuses: the file is then as it was before, an empty one is removed, and the next write begins another.
   */
  write(batch: readonly EncodedRecord[]): Promise<Written>;
  /** The segment of the next records, if its file exists. */
  readonly active: Segment | undefined;
  /** Closes the active file; returns its segment. */
  seal(): Promise<Segment | undefined>;
}

/** Creates the writer; nothing is on disk before the first write. */
export function createWriter(deps: {
  readonly folder: string;
  readonly nextNo: () => number;
  readonly nowMs: () => number;
}): SegmentWriter {
  let current: { readonly segment: Segment; readonly file: string; readonly handle: FileHandle } | undefined;

  const begin = async () => {
    const no = deps.nextNo();
    const file = path.join(deps.folder, `${String(no).padStart(12, '0')}.seg`);
    const handle = await open(file, 'wx', 0o600);
    current = { segment: createSegment(no, file, deps.nowMs()), file, handle };
    await syncFolder(deps.folder);
    return current;
  };
  const giveBack = async () => {
    if (current === undefined) return;
    const { segment, file, handle } = current;
    current = undefined;
    await handle.truncate(segment.bytes).catch(() => undefined);
    await handle.close().catch(() => undefined);
    if (segment.states.length === 0) await unlink(file).catch(() => undefined);
  };

  return {
    async write(batch) {
      try {
        const { segment, handle } = current ?? (await begin());
        const frames = framesOf(segment, batch);
        await handle.appendFile(frames);
        await handle.datasync();
        segment.bytes += frames.length;
        return { segment, payloads: payloadsOf(frames, batch) };
      } catch (error) {
        await giveBack();
        throw error;
      }
    },
    get active() {
      return current?.segment;
    },
    async seal() {
      const sealed = current;
      current = undefined;
      await sealed?.handle.close();
      return sealed?.segment;
    },
  };
}

function framesOf(segment: Segment, batch: readonly EncodedRecord[]): Buffer {
  let { results } = segment;
  const frames = batch.map(({ record, payload }, i): Frame => {
    const isResult = record.record.case === 'result';
    if (isResult) results += 1;
    return { index: segment.states.length + i, results, isResult, payload };
  });
  return encodeFrames(frames);
}

function payloadsOf(frames: Buffer, batch: readonly EncodedRecord[]): readonly Uint8Array[] {
  let end = 0;
  return batch.map(({ payload }) => {
    const start = end + headBytes;
    end = start + payload.length;
    return frames.subarray(start, end);
  });
}

/** Reads the encoded records of a segment's file by their index; damaged ones are missing. They share its memory. */
export async function readPayloads(file: string): Promise<Map<number, Uint8Array>> {
  const { frames } = decodeFrames(await readFile(file));
  return new Map(frames.map(({ index, payload }) => [index, payload]));
}

/**
 * The counts of each segment when it was last written, beside the segments themselves. So the agent notices a file that
 * lost its end, and neither sends acknowledged records again nor reports them as dropped. The counts are written after
 * each fsync of a segment, without one of their own: they survive a kill, and after a power cut they may be older than
 * the segment, never newer.
 */
export interface SegmentCounts extends AsyncDisposable {
  of(no: number): Counts | undefined;
  /** The highest number of any segment that was written, also of those that are gone; 0 without any. */
  readonly lastNo: number;
  set(no: number, counts: Counts): Promise<void>;
}

/** A slot: u32 number of the segment, u32 frames, u32 results, u32 done, u32 crc32 of the four; big-endian. */
const slotBytes = 20;
const crcAt = 16;
/** The newest segments have a slot each. The file is written in full once, so that a full disk cannot refuse it. */
const slotCount = 4096;

/** Opens or creates the file. Never throws for a fault of the disk; `onFault` receives it. */
export async function openCounts(folder: string, onFault: (error: unknown) => void): Promise<SegmentCounts> {
  const file = path.join(folder, 'counts.bin');
  const known = Buffer.alloc(slotBytes * slotCount);
  const handle = await openWhole(file, known).catch((error: unknown) => {
    onFault(error);
    return undefined;
  });
  const isWhole = (at: number) => known.readUInt32BE(at + crcAt) === crc32(known.subarray(at, at + crcAt));
  let lastNo = 0;
  for (let at = 0; at < known.length; at += slotBytes) {
    if (isWhole(at)) lastNo = Math.max(lastNo, known.readUInt32BE(at));
  }
  return {
    lastNo,
    of(no) {
      const at = (no % slotCount) * slotBytes;
      if (!isWhole(at) || known.readUInt32BE(at) !== no) return undefined;
      const [frames, results, done] = [4, 8, 12].map((offset) => known.readUInt32BE(at + offset));
      return { frames: frames ?? 0, results: results ?? 0, done: done ?? 0 };
    },
    async set(no, { frames, results, done }) {
      const at = (no % slotCount) * slotBytes;
      known.writeUInt32BE(no, at);
      known.writeUInt32BE(frames, at + 4);
      known.writeUInt32BE(results, at + 8);
      known.writeUInt32BE(done, at + 12);
      known.writeUInt32BE(crc32(known.subarray(at, at + crcAt)), at + crcAt);
      await handle?.write(known, at, slotBytes, at).catch(onFault);
    },
    async [Symbol.asyncDispose]() {
      await handle?.close();
    },
  };
}

async function openWhole(file: string, known: Buffer): Promise<FileHandle> {
  const content = (await readFile(file).catch(ignoreMissing)) ?? Buffer.alloc(0);
  content.copy(known);
  const handle = await openOrMake(file);
  if (content.length < known.length) await writeAll(handle, known, 0);
  return handle;
}
