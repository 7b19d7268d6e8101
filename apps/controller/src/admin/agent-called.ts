import { drop } from './fault.ts';

/**
 * The id of the one agent among those that are called so; its own id comes first. Throws a Fault that lists them where
 * there are several, or says where to look where there is none. Pure.
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
