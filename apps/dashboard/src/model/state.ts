import type { Status } from './timeline.ts';

/** The state of a device in a list. */
export type DeviceState = 'Down' | 'Retrying' | 'Partial' | 'Unknown' | 'Maint' | 'Paused' | 'Up';

/** Worst first. */
export const states: readonly DeviceState[] = [
  'Down',
  'Retrying',
  'Partial',
  'Unknown',
  'Maint',
  'Paused',
  'Up',
];

const ranks = new Map(states.map((state, rank) => [state, rank] as const));

/** The rank of a state; 0 is the worst. */
export function rankOf(state: DeviceState): number {
  return ranks.get(state) ?? states.length;
}

/** The facts that determine the state of a device. */
export interface StateFacts {
  readonly status: Status;
  readonly isEnabled: boolean;
  readonly isRetrying: boolean;
  readonly isPartial: boolean;
}

/** A paused device is not checked, so it has no other state. Retrying and Partial are Up, but failing. */
export function stateOf({ status, isEnabled, isRetrying, isPartial }: StateFacts): DeviceState {
  if (!isEnabled) return 'Paused';
  if (status !== 'Up') return status;
  if (isRetrying) return 'Retrying';
  return isPartial ? 'Partial' : 'Up';
}

/** The worst of the states; Up if there are none. */
export function worstOf(list: Iterable<DeviceState>): DeviceState {
  let worst: DeviceState = 'Up';
  for (const state of list) if (rankOf(state) < rankOf(worst)) worst = state;
  return worst;
}

/** The number of devices in each state. */
export function countStates(list: Iterable<DeviceState>): Readonly<Record<DeviceState, number>> {
  const counts = { Down: 0, Retrying: 0, Partial: 0, Unknown: 0, Maint: 0, Paused: 0, Up: 0 };
  for (const state of list) counts[state] += 1;
  return counts;
}
