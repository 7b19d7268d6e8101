import path from 'node:path';
import { mebibyte } from '@vantage/domain';
import { parseJson } from '@vantage/kernel';
import type { GapRecord, DatabaseHistory as Wire } from '@vantage/proto';
import { z } from 'zod';
import { openDualCopyFile } from '../storage/disk.ts';
import { type Loss, lossOf } from './gaps.ts';
import { countsOf, type Segment, sendAgain } from './segment.ts';
import type { SegmentCounts } from './segment-file.ts';

/** Where the commit of an acknowledged batch stands in the history of the database; see the wire's Ack. */
export interface AckPosition {
  readonly epochId: string;
  readonly mark: number;
}

/** The marks that the database still has, by epoch. Only epochs that this agent named are in it. */
export type DatabaseHistory = ReadonlyMap<string, { readonly mark: number; readonly isWhole: boolean }>;

/** Reads the wire's message. Pure. */
export function historyOf({ epochs }: Wire): DatabaseHistory {
  return new Map(epochs.map(({ epochId, mark, whole }) => [epochId, { mark: Number(mark), isWhole: whole }]));
}

/*
 *   the epoch is      | the mark is                | the acknowledged batch is
 *   not named         | any                        | not lost: nothing is known of it
 *   whole             | any                        | not lost
 *   not whole         | at most the database's     | not lost
 *   not whole         | beyond the database's      | lost
 */
/** Whether the database does not have any more what it acknowledged at this position. Pure. */
function isLost({ epochId, mark }: AckPosition, history: DatabaseHistory): boolean {
  const known = history.get(epochId);
  return known !== undefined && !known.isWhole && mark > known.mark;
}

/**
 * The bounds of acknowledged segments and data gaps, for ten minutes; and of the counts of those that were deleted, for
 * a day.
 */
export const keptLimits = {
  ms: 600_000,
  bytes: 64 * mebibyte,
  segments: 1024,
  memoryBytes: 4 * mebibyte,
  gaps: 128,
  forgotten: 2048,
  forgottenMs: 24 * 3600 * 1000,
} as const;

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
  } = keptLimits;
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
    const aged = forgotten.findIndex(({ atMs }) => nowMs() - atMs < keptLimits.forgottenMs);
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

/**
 * Queues segments with records that the database lost once more, and reports what cannot be sent again as data
 * gaps.
 */
export async function sendLostAgain(
  { segments, kept, counts, report }: SendAgainDeps,
  history: DatabaseHistory,
  lostEarlier: boolean,
): Promise<void> {
  const hasLost = ({ acks, wasAckedBefore }: Segment) =>
    (wasAckedBefore && lostEarlier) ||
    [...acks].some(([epochId, mark]) => isLost({ epochId, mark }, history));
  const live = [...segments.values()].filter(hasLost);
  const taken = kept.takeLost(hasLost);
  for (const segment of taken) segments.set(segment.no, segment);
  for (const segment of [...live, ...taken]) {
    sendAgain(segment);
    if (segment.file !== undefined) await counts.set(segment.no, countsOf(segment));
  }
  for (const loss of kept.takeLosses(history)) await report(loss);
}

interface SendAgainDeps {
  readonly segments: Map<number, Segment>;
  readonly kept: Kept;
  readonly counts: Pick<SegmentCounts, 'set'>;
  /** Records a loss as a data gap. */
  readonly report: (loss: Loss) => Promise<void>;
}

/**
 * The newest acknowledgement of each epoch. The file has the epochs. It has their marks from an orderly end to the
 * first acknowledgement of the next run only, because a write for each ack would cost an fsync. After a kill the marks
 * are unknown, and count as the highest.
 */
interface Epochs extends AsyncDisposable {
  /** At most 8, the newest last. */
  readonly ids: readonly string[];
  acked(position: AckPosition): Promise<void>;
  /** Whether the database lost acknowledgements of an earlier run. */
  lostEarlier(history: DatabaseHistory): boolean;
}

const most = 8;
const unknownMark = Number.MAX_SAFE_INTEGER;
const stored = z.array(z.object({ epochId: z.string(), mark: z.number() }));

/** Opens the file. Never throws for a fault of the disk; `onFault` receives it, and the epochs are in memory only. */
export async function openEpochs(folder: string, onFault: (error: unknown) => void): Promise<Epochs> {
  const reported = (error: unknown) => {
    onFault(error);
    return undefined;
  };
  const file = await openDualCopyFile(path.join(folder, 'epochs.bin')).catch(reported);
  const earlier = readStored(file?.text);
  const marks = new Map(earlier.map(({ epochId, mark }) => [epochId, mark]));
  /** The file has marks of an earlier run. They must not outlive an ack of this run, which a kill would then hide. */
  let hasMarksInFile = earlier.some(({ mark }) => mark !== unknownMark);
  const write = async (isOver: boolean) => {
    const positions = [...marks].map(([epochId, mark]) => ({ epochId, mark: isOver ? mark : unknownMark }));
    try {
      await file?.write(JSON.stringify(positions));
      hasMarksInFile = isOver;
    } catch (error) {
      onFault(error);
    }
  };
  return {
    get ids() {
      return [...marks.keys()];
    },
    async acked({ epochId, mark }) {
      const known = marks.get(epochId);
      marks.set(epochId, Math.max(known ?? 0, mark));
      if (known !== undefined && !hasMarksInFile) return;
      for (const oldest of [...marks.keys()].slice(0, -most)) marks.delete(oldest);
      await write(false);
    },
    lostEarlier: (history) => earlier.some((position) => isLost(position, history)),
    async [Symbol.asyncDispose]() {
      await write(true);
      await file?.[Symbol.asyncDispose]();
    },
  };
}

function readStored(text: string | undefined): readonly AckPosition[] {
  return stored.safeParse(parseJson(text)).data ?? [];
}
