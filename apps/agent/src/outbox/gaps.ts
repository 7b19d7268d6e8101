import { type FileHandle, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type GapRecord, GapRecordSchema } from '@vantage/proto';

/** What was dropped: how many results, and between which starts (microseconds, corrected clock). */
export interface Loss {
  readonly fromUs: number;
  readonly toUs: number;
  readonly dropped: number;
  readonly reason: string;
  /** Where the same loss may be found again: it is told under this id and grows by no other. */
  readonly gapId?: string;
}

/**
 * Gaps that the controller has not acknowledged yet, in a file of fixed size that was written in full when the disk still had
 * room: telling a gap never needs space. A disk that takes nothing at all leaves them in memory.
 */
export interface Gaps extends AsyncDisposable {
  add(loss: Loss): Promise<void>;
  /** Those not taken yet, now taken. */
  take(): readonly GapRecord[];
  ack(gap: GapRecord): Promise<void>;
  /** The connection is lost: what was taken and not acked is to be told again. */
  release(): void;
  readonly waiting: number;
}

const slotBytes = 512;
const slotCount = 128;
/** Longer reasons would not fit into a slot. */
const reasonLength = 200;

interface Slot {
  gap: GapRecord | undefined;
  isTaken: boolean;
}

/** Opens (or makes) the file of gaps. Never throws for what the disk does; `onFault` hears it. */
export async function openGaps(deps: {
  readonly folder: string;
  readonly newId: () => string;
  readonly onFault: (error: unknown) => void;
}): Promise<Gaps> {
  const { newId, onFault } = deps;
  const file = path.join(deps.folder, 'gaps.bin');
  const slots = await readSlots(file, onFault);
  const handle = await openWhole(file).catch((error: unknown) => {
    onFault(error);
    return undefined;
  });

  const store = async (index: number) => {
    if (handle === undefined) return;
    try {
      await handle.write(encodeSlot(slots[index]?.gap), 0, slotBytes, index * slotBytes);
      await handle.datasync();
    } catch (error) {
      onFault(error);
    }
  };
  /** The newest untaken gap with the same reason grows; else a free slot; else the gaps grow together. */
  const placeFor = (reason: string, gapId: string | undefined): number => {
    const same = slots.findLastIndex(
      (slot) => slot.gap !== undefined && !slot.isTaken && slot.gap.reason === reason,
    );
    if (same >= 0 && gapId === undefined) return same;
    const free = slots.findIndex((slot) => slot.gap === undefined);
    if (free >= 0) return free;
    const untaken = slots.findLastIndex((slot) => !slot.isTaken);
    return untaken >= 0 ? untaken : slots.length - 1;
  };

  return {
    async add(loss) {
      if (loss.gapId !== undefined && slots.some(({ gap }) => gap?.gapId === loss.gapId)) return;
      const reason = loss.reason.slice(0, reasonLength);
      const index = placeFor(reason, loss.gapId);
      const slot = slots[index];
      if (slot === undefined) return;
      const old = slot.gap;
      slot.gap = create(GapRecordSchema, {
        gapId: old?.gapId ?? loss.gapId ?? newId(),
        fromUs: BigInt(old ? Math.min(Number(old.fromUs), loss.fromUs) : loss.fromUs),
        toUs: BigInt(old ? Math.max(Number(old.toUs), loss.toUs) : loss.toUs),
        dropped: (old?.dropped ?? 0) + loss.dropped,
        reason: old?.reason ?? reason,
      });
      slot.isTaken = false;
      await store(index);
    },
    take() {
      const taken: GapRecord[] = [];
      for (const slot of slots) {
        if (slot.gap === undefined || slot.isTaken) continue;
        slot.isTaken = true;
        taken.push(slot.gap);
      }
      return taken;
    },
    async ack(gap) {
      const index = slots.findIndex((slot) => slot.gap === gap);
      const slot = slots[index];
      if (slot === undefined) return;
      slot.gap = undefined;
      slot.isTaken = false;
      await store(index);
    },
    release() {
      for (const slot of slots) slot.isTaken = false;
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
  const size = slotBytes * slotCount;
  const handle = await open(file, 'r+', 0o600).catch(() => open(file, 'w+', 0o600));
  const { size: present } = await handle.stat();
  if (present < size) {
    await handle.write(Buffer.alloc(size - present), 0, size - present, present);
    await handle.sync();
  }
  return handle;
}

async function readSlots(file: string, onFault: (error: unknown) => void): Promise<Slot[]> {
  const content = await readFile(file).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) onFault(error);
    return Buffer.alloc(0);
  });
  return Array.from({ length: slotCount }, (_, index) => {
    const bytes = content.subarray(index * slotBytes, (index + 1) * slotBytes);
    return { gap: decodeSlot(bytes), isTaken: false };
  });
}

/** A slot: u16 length, u32 crc32, payload; all zero when free. */
function encodeSlot(gap: GapRecord | undefined): Buffer {
  const slot = Buffer.alloc(slotBytes);
  if (gap === undefined) return slot;
  const payload = toBinary(GapRecordSchema, gap);
  slot.writeUInt16BE(payload.length, 0);
  slot.writeUInt32BE(crc32(payload), 2);
  slot.set(payload, 6);
  return slot;
}

function decodeSlot(bytes: Buffer): GapRecord | undefined {
  if (bytes.length < slotBytes) return undefined;
  const length = bytes.readUInt16BE(0);
  if (length === 0 || length > slotBytes - 6) return undefined;
  const payload = bytes.subarray(6, 6 + length);
  return crc32(payload) === bytes.readUInt32BE(2) ? fromBinary(GapRecordSchema, payload) : undefined;
}
