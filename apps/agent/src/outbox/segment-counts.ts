import { type FileHandle, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ignoreMissing } from '@vantage/kernel';
import { openOrCreate, writeAll } from '../storage/disk.ts';
import type { SegmentCounts } from './segment.ts';

/**
 * The counts of each segment at its last write. They show when a file lost its end, so that the agent neither resends
 * acknowledged records nor reports them as dropped. The counts are written after each fsync of a segment and are not
 * fsynced: they survive a kill. After a power cut they may be older than the segment, never newer.
 */
export interface SegmentCountsFile extends AsyncDisposable {
  of(no: number): SegmentCounts | undefined;
  /** The highest number of any segment that was written, deleted segments included; 0 without any. */
  readonly lastNo: number;
  set(no: number, counts: SegmentCounts): Promise<void>;
}

/** A slot: u32 number of the segment, u32 frames, u32 results, u32 done, u32 crc32 of the four; big-endian. */
const slotBytes = 20;

const crcAt = 16;

/**
 * Each of the newest segments has a slot. The file is written in full once, so that a full disk cannot refuse a slot.
 */
const slotCount = 4096;

/** Opens or creates the file. Never throws for a disk fault: `onFault` receives it. */
export async function openSegmentCounts(
  folder: string,
  onFault: (error: unknown) => void,
): Promise<SegmentCountsFile> {
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
  const handle = await openOrCreate(file);
  if (content.length < known.length) await writeAll(handle, known, 0);
  return handle;
}
