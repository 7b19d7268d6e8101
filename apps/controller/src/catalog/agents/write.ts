import { newId } from '@vantage/kernel';
import { publish } from '../../db/index.ts';
import { hashCredential, newCredential } from '../../secrets/credential.ts';
import type { ChangeTransaction } from '../change.ts';
import { changedFields, createdFields } from '../field-change.ts';
import { insertAgent, markAgentRevoked, markAgentUnfenced, readLocationName } from './store.ts';

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
  transaction: ChangeTransaction,
  { accountNo, locationNo, name, token = newCredential() }: NewAgent,
): Promise<{ readonly agentId: string; readonly token: string }> {
  const agentId = newId();
  const tokenHash = hashCredential(token);
  await insertAgent(transaction, { agentId, accountNo, locationNo, name, tokenHash });
  const location = await readLocationName(transaction.trx, locationNo);
  const fields = createdFields({ Location: location, Name: name });
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
  transaction: ChangeTransaction,
  agentId: string,
): Promise<AgentStateChange> {
  const revoked = await markAgentRevoked(transaction, agentId);
  if (revoked === undefined) return { kind: 'missing' };
  const { accountNo, agentNo, locationNo, state } = revoked.agent;
  await publish(transaction.trx, 'revoked', { agent_nos: [agentNo], key_nos: [] });
  await publish(transaction.trx, 'catalog', { location_nos: [locationNo] });
  const fields = changedFields(['State'], { State: revoked.before }, { State: state });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id: agentId, fields });
  return { kind: 'changed' };
}

/** Lets a fenced agent connect again. The gateways accept any session number next and count on from it. */
export async function unfenceAgent(
  transaction: ChangeTransaction,
  agentId: string,
): Promise<AgentStateChange> {
  const agent = await markAgentUnfenced(transaction, agentId);
  if (agent === undefined) return { kind: 'missing' };
  const { accountNo, locationNo } = agent;
  await publish(transaction.trx, 'catalog', { location_nos: [locationNo] });
  const fields = changedFields(['State'], { State: 'Fenced' }, { State: 'Away' });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id: agentId, fields });
  return { kind: 'changed' };
}
