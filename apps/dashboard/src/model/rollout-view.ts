import type { FleetAgent } from './fleet-agent.ts';

type UpgradeState = NonNullable<FleetAgent['Upgrade']>['State'];

/** The facts of a rollout that its screen counts. */
export interface RolloutFacts {
  readonly State: 'Running' | 'Done' | 'Stopped';
  readonly Agents: readonly { readonly State: UpgradeState; readonly Connected: boolean }[];
}

/** The agents of a rollout by what they do. Together they are all of its agents. */
export interface RolloutCounts {
  readonly done: number;
  readonly running: number;
  /** They wait for the stage that is to come. */
  readonly waiting: number;
  /** They wait until they are connected. */
  readonly away: number;
  readonly failed: number;
  readonly stopped: number;
}

const kindOf: Readonly<Record<UpgradeState, keyof RolloutCounts>> = {
  Waiting: 'waiting',
  Started: 'running',
  Downloading: 'running',
  Restarting: 'running',
  Done: 'done',
  Failed: 'failed',
  Stopped: 'stopped',
};

/** Counts the agents of a rollout. Pure. */
export function countRollout({ Agents }: RolloutFacts): RolloutCounts {
  const counts = { done: 0, running: 0, waiting: 0, away: 0, failed: 0, stopped: 0 };
  for (const { State, Connected } of Agents)
    counts[State === 'Waiting' && !Connected ? 'away' : kindOf[State]] += 1;
  return counts;
}

/** The order of the agents: failed ones first, then running, waiting, stopped and done ones. */
const order: readonly UpgradeState[] = [
  'Failed',
  'Restarting',
  'Downloading',
  'Started',
  'Waiting',
  'Stopped',
  'Done',
];

/** Sorts the agents of a rollout by their states. Pure. */
export const rolloutOrder = <Agent extends { readonly State: UpgradeState }>(
  agents: readonly Agent[],
): readonly Agent[] => agents.toSorted((a, b) => order.indexOf(a.State) - order.indexOf(b.State));
