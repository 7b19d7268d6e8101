import { type BaseStatus, comparePoints, type Sighting } from './result.ts';
import type { FoldState } from './state.ts';
import { counts, type FoldEvent, type FoldSettings, step } from './step.ts';

/** A status from `fromUs` (microseconds since 1970) to the next one's begin. */
export interface BaseInterval {
  readonly fromUs: number;
  readonly status: BaseStatus;
}

/** What results tell of one device. */
export interface Story {
  readonly state: FoldState;
  /** The seed's own interval first, then every change of status; begins strictly increase. */
  readonly intervals: readonly BaseInterval[];
  /** In the order of their cause; Error stands before Down. */
  readonly events: readonly FoldEvent[];
  /** The state after each result that changed it: the sure points from which a later fold can start again. */
  readonly points: readonly FoldState[];
}

/**
 * Folds results into the state they start from, whatever their order and repetition: they are taken by (start, agent),
 * each once, and those up to the seed's own point not at all.
 */
export function fold(seed: FoldState, sightings: readonly Sighting[], settings: FoldSettings): Story {
  let state = seed;
  const intervals: BaseInterval[] = [{ fromUs: seed.sinceUs, status: seed.status }];
  const events: FoldEvent[] = [];
  const points: FoldState[] = [];
  for (const seen of inOrder(sightings)) {
    if (seed.at !== null && comparePoints(seen, seed.at) <= 0) continue;
    const next = step(state, seen, settings);
    if (next.state === state) continue;
    state = next.state;
    if (state.sinceUs !== intervals.at(-1)?.fromUs)
      intervals.push({ fromUs: state.sinceUs, status: state.status });
    events.push(...next.events);
    points.push(state);
  }
  return { state, intervals, events, points };
}

/** Whether folding the result would change anything; false is the way of nearly all healthy results. */
export function matters(state: FoldState, seen: Sighting, settings: FoldSettings): boolean {
  if (!counts(seen, settings)) return false;
  const isPast = state.at !== null && comparePoints(seen, state.at) <= 0;
  return isPast || step(state, seen, settings).state !== state;
}

function inOrder(sightings: readonly Sighting[]): Sighting[] {
  const sorted = [...sightings].sort(comparePoints);
  return sorted.filter((seen, i) => {
    const previous = sorted[i - 1];
    return previous === undefined || comparePoints(previous, seen) !== 0;
  });
}
