import { realTime, type TimeScale } from '../../config/time-scale.ts';
import type { PlanAgent } from './assignment-plan.ts';

/** An agent of a Location with its recent connections. */
export interface CandidateAgent {
  readonly agentNo: number;
  readonly capacity: number;
  readonly connected: boolean;
  /** The agent was told to end; other agents get its devices. */
  readonly isLeaving: boolean;
  /** When its stream came up, microseconds since 1970. */
  readonly connectedUs: number;
  /** The time of its last heartbeat before it was away; null when it never was. */
  readonly awaySinceUs: number | null;
  /** The number of streams that it opened within `recentUs`. */
  readonly recentConnects: number;
  /** Whether devices are assigned to it now. */
  readonly isAssigned: boolean;
}

/** Streams are counted this far back: ten minutes. */
export const recentUs = 600_000_000;
/** An agent that connects this often within that time is flapping. */
const flappingConnects = 3;
/** A flapping agent gets its share back once it stayed this long. */
const steadyUs = 300_000_000;

/**
 * The agents that share the devices of a Location. An agent that went away keeps its share for a grace time. A flapping
 * agent that lost its share gets none until it is steady, unless the Location has no other agent. One that leaves gets
 * none where another agent is connected. Empty when no agent is connected: then the plan stays as it is. Pure.
 */
export function eligibleAgents(
  candidates: readonly CandidateAgent[],
  {
    nowUs,
    graceUs,
    startedUs = 0,
    timeScale = realTime,
  }: {
    readonly nowUs: number;
    readonly graceUs: number;
    /**
     * When this controller started. Agents that were away before have the grace time from then on, because they could
     * not connect.
     */
    readonly startedUs?: number;
    readonly timeScale?: TimeScale;
  },
): PlanAgent[] {
  if (!candidates.some((one) => one.connected)) return [];
  const staying = candidates.filter((one) => !one.isLeaving);
  const present = staying.some((one) => one.connected) ? staying : candidates;
  const steady = present.filter((one) =>
    one.connected
      ? one.isAssigned || !isFlapping(one, nowUs, timeScale(steadyUs))
      : isInGrace(one, nowUs, graceUs, startedUs),
  );
  const chosen = steady.length > 0 ? steady : present.filter((one) => one.connected);
  return chosen
    .map(({ agentNo, capacity, connected, awaySinceUs }) => ({
      agentNo,
      capacity,
      awaySinceUs: connected ? null : awaySinceUs,
    }))
    .sort((a, b) => a.agentNo - b.agentNo);
}

function isFlapping(agent: CandidateAgent, nowUs: number, afterUs: number): boolean {
  return agent.recentConnects >= flappingConnects && nowUs - agent.connectedUs < afterUs;
}

function isInGrace(agent: CandidateAgent, nowUs: number, graceUs: number, startedUs: number): boolean {
  return (
    agent.isAssigned && agent.awaySinceUs !== null && nowUs - Math.max(agent.awaySinceUs, startedUs) < graceUs
  );
}
