import { lastStatus, newEvents, type RecordedStatus } from '../events/reconcile-events.ts';
import { type BaseInterval, fold, matters } from '../fold.ts';
import { announcedStatus, type FoldState, newState } from '../fold-state.ts';
import type { FoldEvent, FoldSettings } from '../fold-step.ts';
import { comparePoints, type Observation, type Point } from '../observation.ts';

/** The stored data of one device after its batches. */
export interface FoldedBatches {
  readonly state: FoldState;
  readonly intervals: readonly BaseInterval[];
  /** The events in the order of recording, without corrections. */
  readonly events: readonly FoldEvent[];
  /** The statuses of events in the order of their causes, with corrections. */
  readonly statuses: readonly RecordedStatus[];
  readonly corrections: number;
}

/**
 * Folds results in batches as the store does: each batch resumes from the last checkpoint before it, and rows are read
 * from there on.
 */
export function foldInBatches(
  createdUs: number,
  arrivals: readonly Observation[],
  size: number,
  settings: FoldSettings,
): FoldedBatches {
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
    const earlier = points.filter((point) => point.at !== null && comparePoints(point.at, first) < 0);
    const seed = earlier.at(-1) ?? genesis;
    const folded = fold(seed, from(rows), settings);
    points = [...earlier, ...folded.checkpoints];
    intervals = [...intervals.filter(({ fromUs }) => fromUs < seed.sinceUs), ...folded.intervals];
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
