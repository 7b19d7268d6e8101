import { type FileHandle, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ignoreMissing } from '@vantage/kernel';
import { openOrMake, writeAll } from '../storage/disk.ts';
import type { Counts } from './frame.ts';

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
