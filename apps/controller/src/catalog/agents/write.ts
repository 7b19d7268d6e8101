import { newId } from '@vantage/kernel';
import { publish } from '../../db/index.ts';
import { hashCredential, newCredential } from '../../secrets/credential.ts';
import type { CatalogTransaction } from '../change.ts';
import { insertAgent, markAgentRevoked, markAgentUnfenced } from './store.ts';

/** The agent that is to be invited. */
export interface NewAgent {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly name: string;
  /** A token that was made before, for a database that does not know it. */
  readonly token?: string | undefined;
}

/** Creates an agent at a Location. The answer holds its token; the database keeps only the hash. */
export async function inviteAgent(
  transaction: CatalogTransaction,
  { accountNo, locationNo, name, token = newCredential() }: NewAgent,
): Promise<{ readonly agentId: string; readonly token: string }> {
  const agentId = newId();
  await insertAgent(transaction.kysely, {
    agent_id: agentId,
    account_no: accountNo,
    location_no: locationNo,
    name,
    token_hash: hashCredential(token),
  });
  const fields = ['Location', 'Name'];
  transaction.record({ action: 'create', kind: 'agent', accountNo, id: agentId, fields });
  return { agentId, token };
}

/** Whether the agent was found in a state that allows the change. */
export type AgentStateChange = { readonly kind: 'changed' } | { readonly kind: 'missing' };

/**
 * Revokes an agent that is not revoked yet. After the commit the gateways close its stream within 5 s, and other agents of the
 * Location check its devices.
 */
export async function revokeAgent(
  transaction: CatalogTransaction,
  agentId: string,
): Promise<AgentStateChange> {
  const { kysely } = transaction;
  const agent = await markAgentRevoked(kysely, agentId);
  if (agent === undefined) return { kind: 'missing' };
  await publish(kysely, 'revoked', { agent_nos: [agent.agent_no], key_nos: [] });
  await publish(kysely, 'catalog', { location_nos: [agent.location_no] });
  const accountNo = agent.account_no;
  transaction.record({ action: 'update', kind: 'agent', accountNo, id: agentId, fields: ['State'] });
  return { kind: 'changed' };
}

/** Lets a fenced agent connect again. The gateways accept any session number next and count on from it. */
export async function unfenceAgent(
  transaction: CatalogTransaction,
  agentId: string,
): Promise<AgentStateChange> {
  const { kysely } = transaction;
  const agent = await markAgentUnfenced(kysely, agentId);
  if (agent === undefined) return { kind: 'missing' };
  await publish(kysely, 'catalog', { location_nos: [agent.location_no] });
  const accountNo = agent.account_no;
  transaction.record({ action: 'update', kind: 'agent', accountNo, id: agentId, fields: ['State'] });
  return { kind: 'changed' };
}
