import type { GapRecord } from '@vantage/proto';
import { type AckPosition, type DatabaseHistory, isLost } from './database-history.ts';
import { type Loss, lossOf } from './gaps.ts';
import { limits } from './limits.ts';
import type { Segment } from './segment.ts';

/** Acknowledged records that are gone from the disk, as far as a data gap would have to name them. */
interface Forgotten {
  readonly acks: readonly AckPosition[];
  readonly fromUs: number;
  readonly toUs: number;
  readonly results: number;
  readonly atMs: number;
}

/** Acknowledged records that are kept for a while, because the database may go back to a time before. */
export interface Kept {
  /** Removes a segment without acknowledged records. */
  keep(segment: Segment): Promise<void>;
  keepGap(gap: GapRecord, position: AckPosition | undefined): void;
  /** Removes what is older than the time or beyond the bounds. */
  trim(): Promise<void>;
  /** Gives the oldest segment's place on disk back; false when none is kept. */
  dropOldest(): Promise<boolean>;
  /** Takes out the segments with records that the database lost. */
  takeLost(hasLost: (segment: Segment) => boolean): readonly Segment[];
  /** The gaps, and the records that this agent deleted already, which the database lost. Each is given once. */
  takeLosses(history: DatabaseHistory): readonly Loss[];
  /** On disk. */
  readonly bytes: number;
}

/** Creates the store. `remove` deletes a segment's file. */
export function createKept(deps: {
  /** The segments of the outbox, without those that are kept. */
  readonly live: Map<number, Segment>;
  readonly keepMs: number;
  readonly nowMs: () => number;
  readonly remove: (segment: Segment) => Promise<void>;
}): Kept {
  const { live, keepMs, nowMs, remove } = deps;
  const {
    bytes: mostBytes,
    segments: mostSegments,
    memoryBytes,
    gaps: mostGaps,
    forgotten: most,
  } = limits.kept;
  const kept = new Map<Segment, number>();
  const gaps: { readonly gap: GapRecord; readonly position: AckPosition; readonly atMs: number }[] = [];
  let forgotten: Forgotten[] = [];
  let bytes = 0;
  let inMemory = 0;

  const release = (segment: Segment) => {
    if (!kept.delete(segment)) return;
    if (segment.file === undefined) inMemory -= segment.bytes;
    else bytes -= segment.bytes;
  };
  const forget = async (segment: Segment) => {
    release(segment);
    const acks = [...segment.acks].map(([epochId, mark]) => ({ epochId, mark }));
    const { minStartUs: fromUs, maxStartUs: toUs, results } = segment;
    if (acks.length > 0 && results > 0) forgotten.push({ acks, fromUs, toUs, results, atMs: nowMs() });
    const aged = forgotten.findIndex(({ atMs }) => nowMs() - atMs < limits.kept.forgottenMs);
    forgotten = forgotten.slice(Math.max(aged < 0 ? forgotten.length : aged, forgotten.length - most));
    await remove(segment);
  };
  const dropOldest = async () => {
    const [oldest] = kept.keys();
    if (oldest !== undefined) await forget(oldest);
    return oldest !== undefined;
  };
  const isBeyond = () => bytes > mostBytes || inMemory > memoryBytes || kept.size > mostSegments;
  const trim = async () => {
    for (const [segment, atMs] of kept) {
      if (nowMs() - atMs < keepMs && !isBeyond()) return;
      await forget(segment);
    }
  };
  return {
    async keep(segment) {
      live.delete(segment.no);
      if (keepMs === 0 || !segment.states.includes('acked')) return remove(segment);
      kept.set(segment, nowMs());
      if (segment.file === undefined) inMemory += segment.bytes;
      else bytes += segment.bytes;
      await trim();
    },
    keepGap(gap, position) {
      if (position === undefined) return;
      gaps.push({ gap, position, atMs: nowMs() });
      while (gaps.length > mostGaps || nowMs() - (gaps[0]?.atMs ?? nowMs()) > keepMs) gaps.shift();
    },
    trim,
    dropOldest,
    takeLost(hasLost) {
      const lost = [...kept.keys()].filter(hasLost);
      for (const segment of lost) release(segment);
      return lost;
    },
    takeLosses(history) {
      const lostGaps = gaps.filter(({ position }) => isLost(position, history));
      for (const one of lostGaps) gaps.splice(gaps.indexOf(one), 1);
      const gone = forgotten.filter(({ acks }) => acks.some((position) => isLost(position, history)));
      forgotten = forgotten.filter((one) => !gone.includes(one));
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
