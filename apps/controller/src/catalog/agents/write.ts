import { cleanLine } from '@vantage/domain';
import type { AgentRevokedCause } from '@vantage/health';
import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { publish, type Tables } from '../../db/index.ts';
import { hashCredential, newCredential } from '../../secrets/credential.ts';
import type { ChangeTransaction } from '../change.ts';
import { changedFields, createdFields, deletedFields } from '../field-change.ts';
import type { Conflict, Missing } from '../refusal.ts';
import {
  findAgent,
  insertAgent,
  markRemoved,
  markRevoked,
  markUnfenced,
  type NamedAgent,
  readLocationName,
  renameAgent,
} from './write-store.ts';

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

/** Records the events of an agent in the transaction that changed it. */
export type RecordAgentEvents = (
  trx: Kysely<Tables>,
  causes: readonly AgentRevokedCause[],
  nowUs: number,
) => Promise<void>;

/** Settings of an agent as they were sent; undefined: it stays. */
export interface SentAgent {
  readonly Name?: string | undefined;
}

/** Changes an agent. All answers show its new name, those about the past too. */
export async function changeAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
  sent: SentAgent,
): Promise<{ readonly kind: 'changed' } | Missing> {
  const agent = await findAgent(transaction, named);
  if (agent === undefined) return { kind: 'missing', what: 'agent' };
  const { accountNo, agentId: id } = agent;
  const old = cleanLine(agent.name);
  // GET shows a stored name cleaned. Sent back, it is the stored one.
  if (sent.Name === undefined || sent.Name === old) return { kind: 'changed' };
  await renameAgent(transaction, agent, sent.Name);
  const fields = changedFields(['Name'], { Name: old }, { Name: sent.Name });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id, fields });
  return { kind: 'changed' };
}

/**
 * Revokes an agent; missing when it is revoked already. After the commit the gateways close its stream within 5 s, and other agents of
 * the Location check its devices. The account has an event of it.
 */
export async function revokeAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
  { recordEvents, nowUs }: { readonly recordEvents: RecordAgentEvents; readonly nowUs: number },
): Promise<{ readonly kind: 'revoked' } | Missing> {
  const { trx } = transaction;
  const agent = await findAgent(transaction, named);
  if (agent === undefined || agent.state === 'Revoked') return { kind: 'missing', what: 'agent' };
  const { accountNo, agentNo, locationNo, agentId: id, state } = agent;
  await markRevoked(transaction, agent);
  const location = await readLocationName(trx, locationNo);
  const of = { accountNo, locationNo, locationName: cleanLine(location) };
  await recordEvents(trx, [{ kind: 'agent-revoked', ...of, agentName: cleanLine(agent.name) }], nowUs);
  await publish(trx, 'revoked', { agent_nos: [agentNo], key_nos: [] });
  await publish(trx, 'catalog', { location_nos: [locationNo] });
  const fields = changedFields(['State'], { State: state }, { State: 'Revoked' });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id, fields });
  return { kind: 'revoked' };
}

/** Removes a revoked agent from the lists. Checks and events go on to show its name. */
export async function removeAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
): Promise<{ readonly kind: 'removed' } | Conflict | Missing> {
  const agent = await findAgent(transaction, named);
  if (agent === undefined) return { kind: 'missing', what: 'agent' };
  const { accountNo, agentId: id } = agent;
  const name = cleanLine(agent.name);
  if (agent.state !== 'Revoked') {
    const message = `Agent ${name} (${id}) is not revoked. Only a revoked agent can be removed.`;
    return { kind: 'conflict', message };
  }
  await markRemoved(transaction, agent);
  const fields = deletedFields({ Name: name });
  transaction.record({ action: 'delete', kind: 'agent', accountNo, id, fields });
  return { kind: 'removed' };
}

/** Lets a fenced agent connect again; missing when it is not fenced. */
export async function unfenceAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
): Promise<{ readonly kind: 'unfenced' } | Missing> {
  const agent = await findAgent(transaction, named);
  if (agent?.state !== 'Fenced') return { kind: 'missing', what: 'agent' };
  const { accountNo, locationNo, agentId: id } = agent;
  await markUnfenced(transaction, agent);
  await publish(transaction.trx, 'catalog', { location_nos: [locationNo] });
  const fields = changedFields(['State'], { State: 'Fenced' }, { State: 'Away' });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id, fields });
  return { kind: 'unfenced' };
}
