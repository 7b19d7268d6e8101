import type { BaseStatus } from '@vantage/domain';
import { comparePoints, type Observation } from './observation.ts';
import type { FoldState } from './state.ts';
import { counts, type FoldEvent, type FoldSettings, step } from './step.ts';

/** A status from `fromUs` (microseconds since 1970) to the next one's begin. */
export interface BaseInterval {
  readonly fromUs: number;
  readonly status: BaseStatus;
}

/** The status of one device by its results. */
export interface FoldResult {
  readonly state: FoldState;
  /** The seed's own interval first, then every change of status; begins strictly increase. */
  readonly intervals: readonly BaseInterval[];
  /** In the order of their cause; Error stands before Down. */
  readonly events: readonly FoldEvent[];
  /** The state after each result that changed it: the checkpoints from which a later fold can start again. */
  readonly checkpoints: readonly FoldState[];
}

/**
 * Folds results into the state they start from, whatever their order and repetition: they are taken by (start, agent),
 * each once, and those up to the seed's own point not at all.
 */
export function fold(
  seed: FoldState,
  observations: readonly Observation[],
  settings: FoldSettings,
): FoldResult {
  let state = seed;
  const intervals: BaseInterval[] = [{ fromUs: seed.sinceUs, status: seed.status }];
  const events: FoldEvent[] = [];
  const checkpoints: FoldState[] = [];
  for (const observation of inOrder(observations)) {
    if (seed.at !== null && comparePoints(observation, seed.at) <= 0) continue;
    const next = step(state, observation, settings);
    if (next.state === state) continue;
    state = next.state;
    if (state.sinceUs !== intervals.at(-1)?.fromUs)
      intervals.push({ fromUs: state.sinceUs, status: state.status });
    events.push(...next.events);
    checkpoints.push(state);
  }
  return { state, intervals, events, checkpoints };
}

/** Whether folding the result would change anything; false is the way of nearly all healthy results. */
export function matters(state: FoldState, observation: Observation, settings: FoldSettings): boolean {
  if (!counts(observation, settings)) return false;
  const isPast = state.at !== null && comparePoints(observation, state.at) <= 0;
  return isPast || step(state, observation, settings).state !== state;
}

function inOrder(observations: readonly Observation[]): Observation[] {
  const sorted = [...observations].sort(comparePoints);
  return sorted.filter((observation, i) => {
    const previous = sorted[i - 1];
    return previous === undefined || comparePoints(previous, observation) !== 0;
  });
}
