import type { Schemas } from '@vantage/client';
import { api, isNotFound, take } from './api.ts';

/** All agents in the order of their creation: without a Limit, the API returns the whole list. */
export const readAgents = (): Promise<readonly Schemas['Agent'][]> => take(api.GET('/agents'));

const byId = (agent_id: string) => ({ params: { path: { agent_id } } });

/** Revokes an agent. One that is revoked, or whose invitation expired, is removed from the lists. */
export async function deleteAgent(agent_id: string): Promise<void> {
  await take(api.DELETE('/agents/{agent_id}', byId(agent_id)));
}

/** Revokes an agent and removes it from the lists. One that somebody else removed meanwhile is removed, too. */
export async function removeAgentFully(agent_id: string): Promise<void> {
  try {
    await deleteAgent(agent_id);
    const { State } = await take(api.GET('/agents/{agent_id}', byId(agent_id)));
    if (State === 'Revoked') await deleteAgent(agent_id);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
