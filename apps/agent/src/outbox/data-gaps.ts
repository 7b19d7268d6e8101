import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type GapRecord, GapRecordSchema } from '@vantage/proto';
import { writeAll } from '../storage/disk.ts';
import {
  decodeSlots,
  encodeSlot,
  fittingReason,
  noSlot,
  openWhole,
  readContent,
  slotBytes,
  unstoredIndex,
} from './gap-slots.ts';

/** Dropped results: their count, and the starts of the first and the last one (microseconds, corrected clock). */
export interface Loss {
  readonly fromUs: number;
  readonly toUs: number;
  readonly dropped: number;
  readonly reason: string;
  /** Set where the same loss may be found again. Its gap then has this id, and no other loss is added to it. */
  readonly gapId?: string;
  /** The segment that was dropped as a whole. If its file is found after a kill, the loss is reported already. */
  readonly segmentNo?: number;
}

/** The loss that a gap reports, under the gap's id. */
export function lossOf({ fromUs, toUs, droppedResults: dropped, reason, gapId }: GapRecord): Loss {
  return { fromUs: Number(fromUs), toUs: Number(toUs), dropped, reason, gapId };
}

/**
 * Data gaps that the controller has not acknowledged yet. Their file has a fixed size and was written in full while the
 * disk had room, so that a gap never needs space. While the disk refuses every write, the gaps stay in memory.
 */
export interface DataGaps extends AsyncDisposable {
  add(loss: Loss): Promise<void>;
  /** Whether a waiting gap reports the loss of this whole segment. */
  reports(segmentNo: number): boolean;
  /** The highest number of a segment that a waiting gap reports; 0 without any. */
  readonly lastSegmentNo: number;
  /** Takes out the gaps that are not in flight. */
  take(): readonly GapRecord[];
  ack(gap: GapRecord): Promise<void>;
  /**
   * Stores which results exist only in memory because the disk refused them. If this run ends before their ack, the
   * next run reports them as lost. Undefined: there are none.
   */
  recordUnstored(loss: Loss | undefined): Promise<void>;
  /** The connection is lost: gaps without ack are sent again. */
  release(): void;
  readonly waiting: number;
}

/** Opens or creates the file of gaps. Never throws for a disk fault: `onFault` receives it. */
export async function openDataGaps(deps: {
  readonly folder: string;
  readonly newId: () => string;
  readonly onFault: (error: unknown) => void;
}): Promise<DataGaps> {
  const { newId, onFault } = deps;
  const file = path.join(deps.folder, 'gaps.bin');
  const reported = (error: unknown) => {
    onFault(error);
    return undefined;
  };
  const content = await readContent(file).catch(reported);
  const slots = decodeSlots(content ?? Buffer.alloc(0));
  // Do not overwrite a file that cannot be read now: the gaps of this run stay in memory.
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
  /** Prefers the newest unsent gap of the same reason, then a free slot, then the newest unsent gap. */
  const slotFor = (reason: string, gapId: string | undefined): number => {
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
      reason: fittingReason(loss.reason),
    });
  const add = async (loss: Loss) => {
    if (loss.gapId !== undefined && slots.some(({ gap }) => gap?.gapId === loss.gapId)) return;
    const reason = fittingReason(loss.reason);
    const index = slotFor(reason, loss.gapId);
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
    // A loss that is found again has the same id, and the controller may have it already.
    slot.mayBeReported = slot.gap.gapId === loss.gapId;
    slot.segmentNo = loss.segmentNo;
    await store(index);
  };
  const [unstored] = slots.splice(unstoredIndex);
  if (unstored?.gap !== undefined) {
    await add(lossOf(unstored.gap));
    await store(unstoredIndex, noSlot());
  }
  let unstoredId: string | undefined;

  return {
    async recordUnstored(loss) {
      if (loss === undefined && unstoredId === undefined) return;
      const gapId = unstoredId ?? newId();
      unstoredId = loss && gapId;
      await store(unstoredIndex, { ...noSlot(), gap: loss && gapOf(loss, gapId) });
    },
    add,
    reports: (segmentNo) => slots.some((slot) => slot.gap !== undefined && slot.segmentNo === segmentNo),
    get lastSegmentNo() {
      return slots.reduce((max, { segmentNo = 0 }) => Math.max(max, segmentNo), 0);
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
