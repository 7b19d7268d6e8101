import { agentName, type FleetAgent, isInUse } from './fleet-agent.ts';
import type { FleetLocation } from './fleet-needs.ts';

/** A Location that a change leaves without an agent. */
export interface LeftLocation {
  readonly name: string;
  readonly devices: number;
}

/** The agents of a move, and what it leaves behind. */
export interface AgentMove {
  readonly moved: readonly FleetAgent[];
  /** Agents that stay, each with the reason. */
  readonly stays: readonly { readonly agent: FleetAgent; readonly reason: 'there' | 'over' }[];
  readonly left: readonly LeftLocation[];
}

/** The Locations whose agents in use all leave. Pure. */
function leftWithout(
  {
    locations,
    agents,
  }: { readonly locations: readonly FleetLocation[]; readonly agents: readonly FleetAgent[] },
  leaving: readonly FleetAgent[],
): readonly LeftLocation[] {
  const ids = new Set(leaving.map(({ agent_id }) => agent_id));
  return locations.flatMap(({ location_id, Name, Load }) => {
    const own = agents.filter((agent) => agent.location_id === location_id && isInUse(agent));
    const isLeft = own.length > 0 && own.every(({ agent_id }) => ids.has(agent_id));
    return isLeft ? [{ name: Name, devices: Load.Devices }] : [];
  });
}

/** Plans the move of the chosen agents to a Location. Pure. */
export function planMove(
  fleet: { readonly locations: readonly FleetLocation[]; readonly agents: readonly FleetAgent[] },
  chosen: readonly FleetAgent[],
  target: string,
): AgentMove {
  const isOver = ({ State }: FleetAgent) => State === 'Revoked' || State === 'Expired';
  const moved = chosen.filter((agent) => !isOver(agent) && agent.location_id !== target);
  const stays = chosen.flatMap((agent): AgentMove['stays'] => {
    if (isOver(agent)) return [{ agent, reason: 'over' }];
    return agent.location_id === target ? [{ agent, reason: 'there' }] : [];
  });
  return { moved, stays, left: leftWithout(fleet, moved) };
}

/** The removal of the chosen agents: each is in one of the lists. */
export interface AgentRemoval {
  /** Invitations that are cancelled. */
  readonly cancelled: readonly FleetAgent[];
  /** Agents that can connect now, and no longer. */
  readonly revoked: readonly FleetAgent[];
  /** Agents that are over, and are removed from the lists. */
  readonly removed: readonly FleetAgent[];
  readonly left: readonly LeftLocation[];
}

/** Plans the removal of the chosen agents. Pure. */
export function planRemoval(
  fleet: { readonly locations: readonly FleetLocation[]; readonly agents: readonly FleetAgent[] },
  chosen: readonly FleetAgent[],
): AgentRemoval {
  const isOver = ({ State }: FleetAgent) => State === 'Revoked' || State === 'Expired';
  const cancelled = chosen.filter(({ State }) => State === 'New');
  const removed = chosen.filter(isOver);
  const revoked = chosen.filter((agent) => agent.State !== 'New' && !isOver(agent));
  return { cancelled, revoked, removed, left: leftWithout(fleet, revoked) };
}

/** A request of a removal, and the agent that it is about. */
interface RemovalRequest {
  readonly Method: 'DELETE';
  readonly Path: string;
  readonly name: string;
  /** Another person may have done it already: a refusal is none. */
  readonly isSecond: boolean;
}

/** The requests of a removal. The first DELETE revokes an agent, and a second one removes it. Pure. */
export function removalRequests({
  cancelled,
  revoked,
  removed,
}: Pick<AgentRemoval, 'cancelled' | 'revoked' | 'removed'>): readonly RemovalRequest[] {
  const requestOf = (agent: FleetAgent, isSecond: boolean): RemovalRequest => ({
    Method: 'DELETE',
    Path: `/agents/${agent.agent_id}`,
    name: agentName(agent),
    isSecond,
  });
  return [
    ...[...revoked, ...removed].map((agent) => requestOf(agent, false)),
    ...cancelled.flatMap((agent) => [requestOf(agent, false), requestOf(agent, true)]),
  ];
}
