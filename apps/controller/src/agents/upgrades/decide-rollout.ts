import { minuteUs } from '@vantage/domain';

/** The state of an agent's upgrade. */
export type UpgradeState =
  | 'Waiting'
  | 'Started'
  | 'Downloading'
  | 'Restarting'
  | 'Done'
  | 'Failed'
  | 'Stopped';

/** An agent of a rollout. */
export interface RolloutAgent {
  readonly agentNo: number;
  readonly name: string;
  readonly state: UpgradeState;
  /** Why it failed. */
  readonly reason: string | null;
  readonly isConnected: boolean;
  /** When the state changed, microseconds. */
  readonly changedUs: number;
}

/** The next step of a rollout. */
export type RolloutDecision =
  /** These agents upgrade now; it may be none. */
  | { readonly kind: 'go-on'; readonly start: readonly number[] }
  /** These agents are not back in time: they failed. */
  | {
      readonly kind: 'overdue';
      readonly agents: readonly { readonly agentNo: number; readonly reason: string }[];
    }
  | { readonly kind: 'stop'; readonly reason: string }
  | { readonly kind: 'done' };

/** The stages of a rollout: one agent, 10 %, 50 %, all. A stage starts when the one before has finished. */
const shares = [0, 0.1, 0.5, 1];
/** Agents that upgrade at the same time, so downloads do not slow down the streams. */
const maxAtOnce = 20;
/** An agent tries to download for half an hour. */
const overdueUs: Readonly<Record<UpgradeState, number>> = {
  Waiting: Number.POSITIVE_INFINITY,
  Started: 40 * minuteUs,
  Downloading: 40 * minuteUs,
  Restarting: 10 * minuteUs,
  Done: Number.POSITIVE_INFINITY,
  Failed: Number.POSITIVE_INFINITY,
  Stopped: Number.POSITIVE_INFINITY,
};

/*
 *   agents                                                | decision
 *   one failed                                            | stop
 *   one began and is not back in time                     | overdue: it failed
 *   all are done (or stopped)                             | done
 *   all of the present share are done                     | the next share begins
 *   some of the present share wait and are connected      | they begin, at most 20 at once
 * Agents that wait and are not connected do not count, and begin when they are back.
 */
/** Decides what a rollout does next. Pure. */
export function decideRollout(agents: readonly RolloutAgent[], nowUs: number): RolloutDecision {
  const failed = agents.find(({ state }) => state === 'Failed');
  if (failed !== undefined)
    return {
      kind: 'stop',
      reason: `agent ${failed.name} failed: ${failed.reason ?? 'for an unknown reason'}`,
    };
  const overdue = agents.filter(({ state, changedUs }) => nowUs - changedUs > overdueUs[state]);
  if (overdue.length > 0)
    return {
      kind: 'overdue',
      agents: overdue.map(({ agentNo, state }) => ({
        agentNo,
        reason: `it did not report within ${overdueUs[state] / minuteUs} minutes (${state})`,
      })),
    };
  const open = agents.filter(({ state }) => state !== 'Stopped');
  const done = open.filter(({ state }) => state === 'Done').length;
  if (done === open.length) return { kind: 'done' };
  const counted = countedAgents(agents);
  const begun = counted.filter(({ state }) => state !== 'Waiting').length;
  const room = Math.min(rolloutStage(agents).mayBegin - begun, maxAtOnce - (begun - done));
  const start = counted.filter(({ state }) => state === 'Waiting').slice(0, Math.max(0, room));
  return { kind: 'go-on', start: start.map(({ agentNo }) => agentNo) };
}

/** The facts by which the stage of a rollout is decided. */
type StagedAgent = Pick<RolloutAgent, 'state' | 'isConnected'>;

/** The agents of which the stages are shares. */
function countedAgents<Agent extends StagedAgent>(agents: readonly Agent[]): readonly Agent[] {
  return agents.filter(
    ({ state, isConnected }) => state !== 'Stopped' && (state !== 'Waiting' || isConnected),
  );
}

/** The present stage of a rollout. */
interface RolloutStage {
  /** From 1. */
  readonly stage: number;
  /** The number of agents that may have begun in this stage. */
  readonly mayBegin: number;
}

/** The first stage whose share is not done yet; the last one when all agents are done. Pure. */
export function rolloutStage(agents: readonly StagedAgent[]): RolloutStage {
  const counted = countedAgents(agents);
  const done = counted.filter(({ state }) => state === 'Done').length;
  const limits = shares.map((share) => Math.max(1, Math.ceil(share * counted.length)));
  const at = limits.findIndex((limit) => limit > done);
  return at < 0
    ? { stage: shares.length, mayBegin: counted.length }
    : { stage: at + 1, mayBegin: limits[at] ?? counted.length };
}
