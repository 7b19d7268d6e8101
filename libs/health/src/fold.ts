import type { BaseStatus } from '@vantage/domain';
import type { FoldState } from './fold-state.ts';
import { counts, type FoldEvent, type FoldSettings, step } from './fold-step.ts';
import { comparePoints, type Observation } from './observation.ts';

/** A status from `fromUs` (microseconds since 1970) to the start of the next interval. */
export interface BaseInterval {
  readonly fromUs: number;
  readonly status: BaseStatus;
}

export interface FoldResult {
  readonly state: FoldState;
  /** The interval of the seed, then every change of status; `fromUs` strictly increases. */
  readonly intervals: readonly BaseInterval[];
  /** In the order of their causes; Error comes before Down. */
  readonly events: readonly FoldEvent[];
  /** The state after each result that changed it. A later fold can resume from any of them. */
  readonly checkpoints: readonly FoldState[];
}

/**
 * Folds the results of one device into the seed. The results may be in any order and repeated: each is folded once, in
 * the order of (start, agent). Results up to the point of the seed are ignored.
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

/** Whether the result may change the state or the history. False for nearly all healthy results. */
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
