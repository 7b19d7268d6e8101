import type { Schemas } from '@vantage/client';
import { compareVersions, isInUse } from '../../model/fleet-agent.ts';
import { readLocations } from '../../store/account-state.ts';
import { readAgents } from '../../store/agents.ts';
import { api, ifMay, take, takeAnswer } from '../../store/api.ts';
import { mayAdminister } from '../../store/credential.ts';

/** An agent with the facts that its screen shows. */
export interface OpenedAgent {
  readonly agent: Schemas['Agent'];
  readonly etag: string | undefined;
  /** The newest version that runs somewhere; undefined: the agent has it. */
  readonly newer: string | undefined;
}

export async function readAgent(agent_id: string): Promise<OpenedAgent> {
  const [{ data: agent, etag }, agents, installation] = await Promise.all([
    takeAnswer(api.GET('/agents/{agent_id}', { params: { path: { agent_id } } })),
    readAgents(),
    mayAdminister.value ? ifMay(take(api.GET('/installation'))) : undefined,
    readLocations(),
  ]);
  const versions = agents.filter(isInUse).map(({ Version }) => Version ?? '');
  const newer = [...versions, ...(installation === undefined ? [] : [installation.Version])]
    .filter((version) => compareVersions(version, agent.Version ?? '') > 0)
    .toSorted((a, b) => compareVersions(b, a))[0];
  return { agent, etag, newer };
}
