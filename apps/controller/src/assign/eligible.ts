import { realTime, type TimeScale } from '../config/time-scale.ts';
import type { PlanAgent } from './plan.ts';

/** An agent of a Location with its recent connections. */
export interface Candidate {
  readonly agentNo: number;
  readonly capacity: number;
  readonly connected: boolean;
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
 * The agents that share the devices of a Location. An agent that went away keeps its share for a grace time. A flapping agent that lost
 * its share gets none until it is steady, unless the Location has no other agent. Empty when no agent is connected: then the plan stays
 * as it is. Pure.
 */
export function eligibleAgents(
  candidates: readonly Candidate[],
  {
    nowUs,
    graceUs,
    timeScale = realTime,
  }: { readonly nowUs: number; readonly graceUs: number; readonly timeScale?: TimeScale },
): PlanAgent[] {
  if (!candidates.some((one) => one.connected)) return [];
  const steady = candidates.filter((one) =>
    one.connected
      ? one.isAssigned || !isFlapping(one, nowUs, timeScale(steadyUs))
      : isInGrace(one, nowUs, graceUs),
  );
  const chosen = steady.length > 0 ? steady : candidates.filter((one) => one.connected);
  return chosen
    .map(({ agentNo, capacity, connected, awaySinceUs }) => ({
      agentNo,
      capacity,
      awaySinceUs: connected ? null : awaySinceUs,
    }))
    .sort((a, b) => a.agentNo - b.agentNo);
}

function isFlapping(one: Candidate, nowUs: number, afterUs: number): boolean {
  return one.recentConnects >= flappingConnects && nowUs - one.connectedUs < afterUs;
}

function isInGrace(one: Candidate, nowUs: number, graceUs: number): boolean {
  return one.isAssigned && one.awaySinceUs !== null && nowUs - one.awaySinceUs < graceUs;
}
