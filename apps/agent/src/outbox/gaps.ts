import { type FileHandle, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ignoreMissing } from '@vantage/kernel';
import { type GapRecord, GapRecordSchema } from '@vantage/proto';
import { openOrMake, writeAll } from '../storage/disk.ts';

/** Dropped results: their count, and the starts of the first and the last (microseconds, corrected clock). */
export interface Loss {
  readonly fromUs: number;
  readonly toUs: number;
  readonly dropped: number;
  readonly reason: string;
  /** Set where the same loss may be found again: the gap has this id and no other loss is added to it. */
  readonly gapId?: string;
  /** The segment that was dropped as a whole. A file of it that is found after a kill is reported already. */
  readonly segmentNo?: number;
}

/** The loss that a gap reports, under the gap's id. */
export function lossOf({ fromUs, toUs, droppedResults: dropped, reason, gapId }: GapRecord): Loss {
  return { fromUs: Number(fromUs), toUs: Number(toUs), dropped, reason, gapId };
}

/**
 * Data gaps that the controller has not acknowledged yet. Their file has a fixed size and was written in full when the
 * disk still had room, so a gap never needs space. Where the disk refuses every write, the gaps stay in memory.
 */
export interface Gaps extends AsyncDisposable {
  add(loss: Loss): Promise<void>;
  /** Whether a waiting gap reports the loss of this whole segment. */
  reports(segmentNo: number): boolean;
  /** The highest number of a segment that a waiting gap reports; 0 without any. */
  readonly lastSegmentNo: number;
  /** Takes out the gaps that are not in flight. */
  take(): readonly GapRecord[];
  ack(gap: GapRecord): Promise<void>;
  /**
   * Stores which results are in memory only because the disk refused them: the next run reports them as lost if this
   * run ends before their ack. Undefined: none.
   */
  hold(loss: Loss | undefined): Promise<void>;
  /** The connection is lost: gaps without ack are to be sent again. */
  release(): void;
  readonly waiting: number;
}

const slotBytes = 512;
const slotCount = 128;
/** The slot behind the others holds the results that are in memory only. */
const heldIndex = slotCount;
/** Longer reasons would not fit into a slot. */
const reasonBytes = 200;
/** At a slot's end: the number of the segment that its loss ended with, and that number's checksum. */
const tailBytes = 8;

interface Slot {
  gap: GapRecord | undefined;
  isInFlight: boolean;
  /** The controller may have it already, under its id: it must not grow any more. */
  mayBeReported: boolean;
  segmentNo: number | undefined;
}

/** Opens or creates the file of gaps. Never throws for a fault of the disk; `onFault` receives it. */
export async function openGaps(deps: {
  readonly folder: string;
  readonly newId: () => string;
  readonly onFault: (error: unknown) => void;
}): Promise<Gaps> {
  const { newId, onFault } = deps;
  const file = path.join(deps.folder, 'gaps.bin');
  const reported = (error: unknown) => {
    onFault(error);
    return undefined;
  };
  const content = await readContent(file).catch(reported);
  const slots = decodeSlots(content ?? Buffer.alloc(0));
  // A file that cannot be read now is not overwritten either: the gaps of this run stay in memory.
  const handle = content === undefined ? undefined : await openWhole(file).catch(reported);

  const store = async (index: number, slot = slots[index]) => {
    if (handle === undefined) return;
    try {
      await writeAll(handle, encodeSlot(slot), index * slotBytes);
      await handle.datasync();
    } catch (error) {
      onFault(error);
    }
  };
  /**
   * The newest gap of the same reason that was not sent yet; else a free slot; else the newest gap that was not sent
   * yet.
   */
  const placeFor = (reason: string, gapId: string | undefined): number => {
    const same = slots.findLastIndex(
      ({ gap, mayBeReported }) => gap !== undefined && !mayBeReported && gap.reason === reason,
    );
    if (same >= 0 && gapId === undefined) return same;
    const free = slots.findIndex((slot) => slot.gap === undefined);
    if (free >= 0) return free;
    const unsent = slots.findLastIndex((slot) => !slot.mayBeReported);
    return unsent >= 0 ? unsent : slots.length - 1;
  };

  const gapOf = (loss: Loss, gapId: string) =>
    create(GapRecordSchema, {
      gapId,
      fromUs: BigInt(loss.fromUs),
      toUs: BigInt(loss.toUs),
      droppedResults: loss.dropped,
      reason: Buffer.from(loss.reason).subarray(0, reasonBytes).toString(),
    });
  const add = async (loss: Loss) => {
    if (loss.gapId !== undefined && slots.some(({ gap }) => gap?.gapId === loss.gapId)) return;
    const reason = Buffer.from(loss.reason).subarray(0, reasonBytes).toString();
    const index = placeFor(reason, loss.gapId);
    const slot = slots[index];
    if (slot === undefined) return;
    const old = slot.gap;
    slot.gap = create(GapRecordSchema, {
      gapId: (slot.mayBeReported ? undefined : old?.gapId) ?? loss.gapId ?? newId(),
      fromUs: BigInt(old ? Math.min(Number(old.fromUs), loss.fromUs) : loss.fromUs),
      toUs: BigInt(old ? Math.max(Number(old.toUs), loss.toUs) : loss.toUs),
      droppedResults: (old?.droppedResults ?? 0) + loss.dropped,
      reason: old?.reason ?? reason,
    });
    slot.isInFlight = false;
    // A loss that is found again has the same id again, and the controller may have it from the first time.
    slot.mayBeReported = slot.gap.gapId === loss.gapId;
    slot.segmentNo = loss.segmentNo;
    await store(index);
  };
  const [held] = slots.splice(heldIndex);
  if (held?.gap !== undefined) {
    await add(lossOf(held.gap));
    await store(heldIndex, noSlot());
  }
  let heldId: string | undefined;

  return {
    async hold(loss) {
      if (loss === undefined && heldId === undefined) return;
      const gapId = heldId ?? newId();
      heldId = loss && gapId;
      await store(heldIndex, { ...noSlot(), gap: loss && gapOf(loss, gapId) });
    },
    add,
    reports: (segmentNo) => slots.some((slot) => slot.gap !== undefined && slot.segmentNo === segmentNo),
    get lastSegmentNo() {
      return slots.reduce((most, { segmentNo = 0 }) => Math.max(most, segmentNo), 0);
    },
    take() {
      const taken: GapRecord[] = [];
      for (const slot of slots) {
        if (slot.gap === undefined || slot.isInFlight) continue;
        slot.isInFlight = true;
        slot.mayBeReported = true;
        taken.push(slot.gap);
      }
      return taken;
    },
    async ack(gap) {
      const index = slots.findIndex((slot) => slot.gap === gap);
      const slot = slots[index];
      if (slot === undefined) return;
      slots[index] = noSlot();
      await store(index);
    },
    release() {
      for (const slot of slots) slot.isInFlight = false;
    },
    get waiting() {
      return slots.filter((slot) => slot.gap !== undefined).length;
    },
    async [Symbol.asyncDispose]() {
      await handle?.close();
    },
  };
}

async function openWhole(file: string): Promise<FileHandle> {
  const size = slotBytes * (slotCount + 1);
  const handle = await openOrMake(file);
  const { size: present } = await handle.stat();
  if (present < size) {
    await writeAll(handle, Buffer.alloc(size - present), present);
    await handle.sync();
  }
  return handle;
}

/** Empty when there is no file yet. */
async function readContent(file: string): Promise<Buffer> {
  return (await readFile(file).catch(ignoreMissing)) ?? Buffer.alloc(0);
}

function decodeSlots(content: Buffer): Slot[] {
  return Array.from({ length: slotCount + 1 }, (_, index) => {
    const bytes = content.subarray(index * slotBytes);
    const gap = decodeSlot(bytes);
    // An earlier run may have sent it.
    return gap === undefined
      ? noSlot()
      : { gap, isInFlight: false, mayBeReported: true, segmentNo: tailOf(bytes) };
  });
}

function noSlot(): Slot {
  return { gap: undefined, isInFlight: false, mayBeReported: false, segmentNo: undefined };
}

/** A slot: u16 length, u32 crc32, payload, and the tail; all zero when free. */
function encodeSlot({ gap, segmentNo }: Slot = noSlot()): Buffer {
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
