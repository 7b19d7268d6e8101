import { drop } from './command-fault.ts';

/**
 * The id of the agent that the operator's text names; an agent with this id comes first in `found`. Throws a Fault that
 * lists the agents if there are several, and that says where to look if there is none. Pure.
 */
export function theAgentCalled(
  called: string,
  found: readonly { readonly agent_id: string; readonly name: string; readonly location: string }[],
): string {
  const [agent, other] = found;
  if (agent === undefined)
    throw drop('no_agent', `there is no agent ${called}; "vantage agents list" shows ids and names`);
  if (other === undefined || agent.agent_id === called) return agent.agent_id;
  const all = found.map(({ agent_id, name, location }) => `${agent_id} (${name} at ${location})`);
  throw drop('many_agents', `several agents are called ${called}: ${all.join(', ')}; give the id of one`);
}
