import { cleanLine } from '@vantage/domain';
import { publish } from '@vantage/storage';
import type { ChangeTransaction } from '../../resources/change.ts';
import { changedFields, deletedFields } from '../../resources/field-changes.ts';
import type { Conflict, Missing } from '../../resources/refusal.ts';
import type { RecordRevocations } from './agent-write.ts';
import {
  findAgent,
  type NamedAgent,
  readLocationName,
  readState,
  setRemoved,
  setRevoked,
  setUnfenced,
} from './agent-write-store.ts';

/**
 * Revokes an agent; missing when it is revoked already. After the commit the gateways close its stream within 5 s, and
 * other agents of the Location check its devices. The account has an event of it.
 */
export async function revokeAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
  { recordEvents, nowUs }: { readonly recordEvents: RecordRevocations; readonly nowUs: number },
): Promise<{ readonly kind: 'revoked' } | Missing> {
  const { trx } = transaction;
  const agent = await findAgent(transaction, named);
  if (agent === undefined || agent.state === 'Revoked') return { kind: 'missing', what: 'agent' };
  const { accountNo, agentNo, locationNo, agentId: id, state } = agent;
  await setRevoked(transaction, agent);
  const location = await readLocationName(trx, locationNo);
  const of = { accountNo, locationNo, locationName: cleanLine(location) };
  await recordEvents(trx, [{ kind: 'agent-revoked', ...of, agentName: cleanLine(agent.name) }], nowUs);
  await publish(trx, 'revoked', { agent_nos: [agentNo], key_nos: [] });
  await publish(trx, 'catalog', { location_nos: [locationNo] });
  const fields = changedFields(['State'], { State: state }, { State: 'Revoked' });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id, fields });
  return { kind: 'revoked' };
}

/**
 * Removes an agent from the lists, if it is revoked or its invitation has expired. Checks and events keep showing its
 * name.
 */
export async function removeAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
  nowUs: number,
): Promise<{ readonly kind: 'removed' } | Conflict | Missing> {
  const agent = await findAgent(transaction, named);
  if (agent === undefined) return { kind: 'missing', what: 'agent' };
  const { accountNo, agentNo, agentId: id } = agent;
  const name = cleanLine(agent.name);
  const state = await readState(transaction.trx, agentNo, nowUs);
  if (state !== 'Revoked' && state !== 'Expired') {
    const message = `Agent ${name} (${id}) is not revoked. Only a revoked agent, or one whose invitation expired, can be removed.`;
    return { kind: 'conflict', reason: 'agent_not_ready', message };
  }
  // A removed agent counts as revoked everywhere: for its token, in sums and in lists.
  if (state === 'Expired') await setRevoked(transaction, agent);
  await setRemoved(transaction, agent);
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
  await setUnfenced(transaction, agent);
  await publish(transaction.trx, 'catalog', { location_nos: [locationNo] });
  const fields = changedFields(['State'], { State: 'Fenced' }, { State: 'Away' });
  transaction.record({ action: 'update', kind: 'agent', accountNo, id, fields });
  return { kind: 'unfenced' };
}
