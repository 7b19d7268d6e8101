import type { Status } from './timeline.ts';

/** The state of a device in a row. The words are fixed, programs rely on them. */
export type State = 'Down' | 'Retrying' | 'Partial' | 'Unknown' | 'Maint' | 'Paused' | 'Up';

/** Worst first. */
export const states: readonly State[] = ['Down', 'Retrying', 'Partial', 'Unknown', 'Maint', 'Paused', 'Up'];

const ranks = new Map(states.map((state, rank) => [state, rank] as const));

/** 0 is the worst. */
export function rankOf(state: State): number {
  return ranks.get(state) ?? states.length;
}

/** The facts from which the state of a device follows. */
export interface StateFacts {
  readonly status: Status;
  readonly isEnabled: boolean;
  readonly isRetrying: boolean;
  readonly isPartial: boolean;
}

/** A paused device is not checked, so nothing else is said of it. Retrying and Partial are Up with a doubt. */
export function stateOf({ status, isEnabled, isRetrying, isPartial }: StateFacts): State {
  if (!isEnabled) return 'Paused';
  if (status !== 'Up') return status;
  if (isRetrying) return 'Retrying';
  return isPartial ? 'Partial' : 'Up';
}

/** The worst of these; Up of none. */
export function worstOf(some: Iterable<State>): State {
  let worst: State = 'Up';
  for (const state of some) if (rankOf(state) < rankOf(worst)) worst = state;
  return worst;
}

/** How many devices are in each state. */
export function countStates(some: Iterable<State>): Readonly<Record<State, number>> {
  const counts = { Down: 0, Retrying: 0, Partial: 0, Unknown: 0, Maint: 0, Paused: 0, Up: 0 };
  for (const state of some) counts[state] += 1;
  return counts;
}
