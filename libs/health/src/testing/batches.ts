import { type BaseInterval, fold, matters } from '../fold.ts';
import { comparePoints, type Observation, type Point } from '../observation.ts';
import { lastStatus, newEvents, type RecordedStatus } from '../reconcile-events.ts';
import { announcedStatus, type FoldState, newState } from '../state.ts';
import type { FoldEvent, FoldSettings } from '../step.ts';

/** The stored data of one device after its batches. */
export interface Stored {
  readonly state: FoldState;
  readonly intervals: readonly BaseInterval[];
  /** Every event, in the order in which it was recorded; corrections aside. */
  readonly events: readonly FoldEvent[];
  /** Statuses that events say, in the order of their causes; corrections included. */
  readonly statuses: readonly RecordedStatus[];
  /** How many of them were corrections. */
  readonly corrections: number;
}

/**
 * Takes results in batches as the store does: each goes on from the last checkpoint before it, rows are read from there
 * on.
 */
export function foldInBatches(
  createdUs: number,
  arrivals: readonly Observation[],
  size: number,
  settings: FoldSettings,
): Stored {
  const genesis = newState(createdUs);
  let points: FoldState[] = [];
  let intervals: readonly BaseInterval[] = [{ fromUs: genesis.sinceUs, status: genesis.status }];
  const rows: Observation[] = [];
  const events: FoldEvent[] = [];
  let statuses: RecordedStatus[] = [];
  let corrections = 0;
  for (let i = 0; i < arrivals.length; i += size) {
    const batch = arrivals.slice(i, i + size);
    const before = [...rows];
    rows.push(...batch);
    const state = points.at(-1) ?? genesis;
    const first = [...batch].sort(comparePoints).find((seen) => matters(state, seen, settings));
    if (first === undefined) continue;
    const from = (list: readonly Observation[]) => list.filter((seen) => comparePoints(seen, first) >= 0);
    const kept = points.filter((point) => point.at !== null && comparePoints(point.at, first) < 0);
    const seed = kept.at(-1) ?? genesis;
    const folded = fold(seed, from(rows), settings);
    points = [...kept, ...folded.checkpoints];
    intervals = [...intervals.filter((one) => one.fromUs < seed.sinceUs), ...folded.intervals];
    const news = newEvents(fold(seed, from(before), settings).events, folded.events, statuses);
    events.push(...news);
    const last = lastStatus(news, statuses);
    const now = announcedStatus(folded.state);
    statuses = inOrder([...statuses, ...news.filter(({ type, status }) => type === status)]);
    if (last === undefined || now === null || last === now) continue;
    corrections += 1;
    const newest = statuses.at(-1)?.cause ?? first;
    statuses.push({ status: now, cause: latest(newest, folded.state.at ?? newest) });
  }
  return { state: points.at(-1) ?? genesis, intervals, events, statuses, corrections };
}

function inOrder(statuses: readonly RecordedStatus[]): RecordedStatus[] {
  return [...statuses].sort((a, b) => comparePoints(a.cause, b.cause));
}

function latest(a: Point, b: Point): Point {
  return comparePoints(a, b) < 0 ? b : a;
}
