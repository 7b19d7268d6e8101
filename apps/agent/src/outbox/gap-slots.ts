import { type FileHandle, readFile } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ignoreMissing } from '@vantage/kernel';
import { type GapRecord, GapRecordSchema } from '@vantage/proto';
import { openOrCreate, writeAll } from '../storage/disk.ts';

export const slotBytes = 512;
const slotCount = 128;

/** The last slot has the results that exist in memory only. */
export const unstoredIndex = slotCount;

/** A longer reason would not fit into a slot. */
const reasonBytes = 200;

/** The end of a slot: the number of the segment that the loss ended with, and its checksum. */
const tailBytes = 8;

/** A gap with its state; `gap` undefined: the slot is free. */
export interface GapSlot {
  gap: GapRecord | undefined;
  isInFlight: boolean;
  /** The controller may already have the gap under this id, so it must no longer grow. */
  mayBeReported: boolean;
  segmentNo: number | undefined;
}

/** Opens or creates the file with all its slots. */
export async function openWhole(file: string): Promise<FileHandle> {
  const size = slotBytes * (slotCount + 1);
  const handle = await openOrCreate(file);
  const { size: present } = await handle.stat();
  if (present < size) {
    await writeAll(handle, Buffer.alloc(size - present), present);
    await handle.sync();
  }
  return handle;
}

/** Returns an empty buffer when there is no file yet. */
export async function readContent(file: string): Promise<Buffer> {
  return (await readFile(file).catch(ignoreMissing)) ?? Buffer.alloc(0);
}

export function decodeSlots(content: Buffer): GapSlot[] {
  return Array.from({ length: slotCount + 1 }, (_, index) => {
    const bytes = content.subarray(index * slotBytes);
    const gap = decodeSlot(bytes);
    // An earlier run may have sent this gap.
    return gap === undefined
      ? noSlot()
      : { gap, isInFlight: false, mayBeReported: true, segmentNo: tailOf(bytes) };
  });
}

export function noSlot(): GapSlot {
  return { gap: undefined, isInFlight: false, mayBeReported: false, segmentNo: undefined };
}

/** A slot: u16 length, u32 crc32, payload, and the tail; all zero when free. */
export function encodeSlot({ gap, segmentNo }: GapSlot = noSlot()): Buffer {
  const slot = Buffer.alloc(slotBytes);
  if (gap === undefined) return slot;
  const payload = toBinary(GapRecordSchema, gap);
  slot.writeUInt16BE(payload.length, 0);
  slot.writeUInt32BE(crc32(payload), 2);
  slot.set(payload, 6);
  if (segmentNo !== undefined) {
    const tail = slot.subarray(slotBytes - tailBytes);
    tail.writeUInt32BE(segmentNo, 0);
    tail.writeUInt32BE(crc32(tail.subarray(0, 4)), 4);
  }
  return slot;
}

/** Cuts a reason to the bytes that a slot has for it. */
export function fittingReason(reason: string): string {
  return Buffer.from(reason).subarray(0, reasonBytes).toString();
}

function decodeSlot(bytes: Buffer): GapRecord | undefined {
  if (bytes.length < slotBytes) return undefined;
  const length = bytes.readUInt16BE(0);
  if (length === 0 || length > slotBytes - 6 - tailBytes) return undefined;
  const payload = bytes.subarray(6, 6 + length);
  return crc32(payload) === bytes.readUInt32BE(2) ? fromBinary(GapRecordSchema, payload) : undefined;
}

function tailOf(bytes: Buffer): number | undefined {
  const tail = bytes.subarray(slotBytes - tailBytes);
  return tail.readUInt32BE(4) === crc32(tail.subarray(0, 4)) ? tail.readUInt32BE(0) : undefined;
}
