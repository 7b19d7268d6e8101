import { mebibyte } from '@vantage/domain';
import type { GapRecord } from '@vantage/proto';
import { type AckPosition, type EpochHistory, isLost } from './ack-position.ts';
import { type Loss, lossOf } from './data-gaps.ts';
import type { OutboxSegment } from './segment.ts';

/**
 * Limits of what is retained for ten minutes: acknowledged segments (on disk and in memory) and data gaps. `deleted`
 * limits the counts of segments that were deleted since, which are remembered for a day.
 */
export const retentionLimits = {
  ms: 600_000,
  bytes: 64 * mebibyte,
  segments: 1024,
  memoryBytes: 4 * mebibyte,
  gaps: 128,
  deleted: 2048,
  deletedMs: 24 * 3600 * 1000,
} as const;

/** The facts of acknowledged records that were deleted, as far as a data gap would name them. */
interface DeletedRecords {
  readonly acks: readonly AckPosition[];
  readonly fromUs: number;
  readonly toUs: number;
  readonly results: number;
  readonly atMs: number;
}

/** Acknowledged records that are retained for a while, because the database may be restored to an earlier state. */
export interface RetainedRecords {
  /** Retains a segment; removes it if it has no acknowledged records. */
  retain(segment: OutboxSegment): Promise<void>;
  retainGap(gap: GapRecord, position: AckPosition | undefined): void;
  /** Removes what is too old or exceeds the limits. */
  trim(): Promise<void>;
  /** Frees the disk space of the oldest segment. False: no segment is retained. */
  dropOldest(): Promise<boolean>;
  /** Takes out the segments that have records which the database lost. */
  takeLost(hasLost: (segment: OutboxSegment) => boolean): readonly OutboxSegment[];
  /** The gaps and deleted records that the database lost. Returns each of them once. */
  takeLosses(history: EpochHistory): readonly Loss[];
  /** On disk. */
  readonly bytes: number;
}

/** `remove` deletes the file of a segment. */
export function createRetainedRecords(deps: {
  /** The segments of the outbox, without the retained ones. */
  readonly live: Map<number, OutboxSegment>;
  readonly retainMs: number;
  readonly nowMs: () => number;
  readonly remove: (segment: OutboxSegment) => Promise<void>;
}): RetainedRecords {
  const { live, retainMs, nowMs, remove } = deps;
  const limits = retentionLimits;
  const retained = new Map<OutboxSegment, number>();
  const gaps: { readonly gap: GapRecord; readonly position: AckPosition; readonly atMs: number }[] = [];
  let deleted: DeletedRecords[] = [];
  let bytes = 0;
  let inMemory = 0;

  const release = (segment: OutboxSegment) => {
    if (!retained.delete(segment)) return;
    if (segment.file === undefined) inMemory -= segment.bytes;
    else bytes -= segment.bytes;
  };
  const deleteSegment = async (segment: OutboxSegment) => {
    release(segment);
    const acks = [...segment.acks].map(([epochId, sequence]) => ({ epochId, sequence }));
    const { minStartUs: fromUs, maxStartUs: toUs, results } = segment;
    if (acks.length > 0 && results > 0) deleted.push({ acks, fromUs, toUs, results, atMs: nowMs() });
    const aged = deleted.findIndex(({ atMs }) => nowMs() - atMs < limits.deletedMs);
    deleted = deleted.slice(Math.max(aged < 0 ? deleted.length : aged, deleted.length - limits.deleted));
    await remove(segment);
  };
  const dropOldest = async () => {
    const [oldest] = retained.keys();
    if (oldest !== undefined) await deleteSegment(oldest);
    return oldest !== undefined;
  };
  const exceedsLimits = () =>
    bytes > limits.bytes || inMemory > limits.memoryBytes || retained.size > limits.segments;
  const trim = async () => {
    for (const [segment, atMs] of retained) {
      if (nowMs() - atMs < retainMs && !exceedsLimits()) return;
      await deleteSegment(segment);
    }
  };
  return {
    async retain(segment) {
      live.delete(segment.no);
      if (retainMs === 0 || !segment.states.includes('acked')) return remove(segment);
      retained.set(segment, nowMs());
      if (segment.file === undefined) inMemory += segment.bytes;
      else bytes += segment.bytes;
      await trim();
    },
    retainGap(gap, position) {
      if (position === undefined) return;
      gaps.push({ gap, position, atMs: nowMs() });
      while (gaps.length > limits.gaps || nowMs() - (gaps[0]?.atMs ?? nowMs()) > retainMs) gaps.shift();
    },
    trim,
    dropOldest,
    takeLost(hasLost) {
      const lost = [...retained.keys()].filter(hasLost);
      for (const segment of lost) release(segment);
      return lost;
    },
    takeLosses(history) {
      const lostGaps = gaps.filter(({ position }) => isLost(position, history));
      for (const entry of lostGaps) gaps.splice(gaps.indexOf(entry), 1);
      const gone = deleted.filter(({ acks }) => acks.some((position) => isLost(position, history)));
      deleted = deleted.filter((entry) => !gone.includes(entry));
      const reason = 'the database went back, and the agent had deleted its copy';
      return [
        ...lostGaps.map(({ gap }) => lossOf(gap)),
        ...gone.map(({ fromUs, toUs, results }) => ({ fromUs, toUs, dropped: results, reason })),
      ];
    },
    get bytes() {
      return bytes;
    },
  };
}
