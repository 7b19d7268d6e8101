import { cleanLine, invitationMinutes, minuteUs } from '@vantage/domain';
import type { CauseOf } from '@vantage/health';
import { newId } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Agent } from '../../platform/db/entities.ts';
import { publish, type Tables } from '../../platform/db/index.ts';
import { hashCredential, newCredential } from '../../platform/secrets/credential.ts';
import {
  type ChangeTransaction,
  changedFields,
  createdFields,
  deletedFields,
  lockAccount,
} from '../change.ts';
import { referenceFault } from '../external-key.ts';
import type { Conflict, Invalid, Missing, Refusal } from '../refusal.ts';
import { nameConflict, refuseBeyondLimit } from '../refusal.ts';
import {
  extendToken,
  findAgent,
  findLocation,
  hasAgents,
  insertAgent,
  markRemoved,
  markRevoked,
  markUnfenced,
  moveAgent,
  type NamedAgent,
  readLocationName,
  readState,
  renameAgent,
} from './write-store.ts';

/** The agent that is to be invited. */
interface NewAgent {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly name: string;
  readonly nowUs: number;
  /** A token that was made before, for a database that does not know it. */
  readonly token?: string | undefined;
  /** Another agent may have the name: the host's own one, whose settings were lost. */
  readonly mayShareName?: boolean;
}

const tokenUs = invitationMinutes * minuteUs;

/**
 * Creates an agent at a Location. The answer holds its token, which enrols the agent once; the
 * database keeps only the hash.
 */
export async function inviteAgent(
  transaction: ChangeTransaction,
  { accountNo, locationNo, name, nowUs, token = newCredential() }: NewAgent,
): Promise<{ readonly agentId: string; readonly token: string; readonly expiresUs: number }> {
  const agentId = newId();
  const tokenHash = hashCredential(token);
  const expiresUs = nowUs + tokenUs;
  const agent = { agentId, accountNo, locationNo, name, tokenHash, tokenExpiresUs: expiresUs };
  await insertAgent(transaction, agent);
  const location = await readLocationName(transaction.trx, locationNo);
  const fields = createdFields({ Location: location, Name: name });
  transaction.record({ action: 'create', kind: 'agent', accountNo, id: agentId, fields });
  return { agentId, token, expiresUs };
}

/** `inviteAgent` to a Location of the account by its name or id. */
export async function inviteAgentTo(
  transaction: ChangeTransaction,
  asked: Omit<NewAgent, 'locationNo'> & { readonly location: string },
): Promise<({ readonly kind: 'invited' } & Awaited<ReturnType<typeof inviteAgent>>) | Conflict | Invalid> {
  const { accountNo, location: sent } = asked;
  const location = await findLocation(transaction.trx, accountNo, sent);
  if (location === undefined) {
    const fault = referenceFault(
      'Location',
      'Location',
      'the name or id of a Location of this account',
      sent,
    );
    return { kind: 'invalid', faults: [fault] };
  }
  const refusal = await refuseBeyondLimit(transaction, 'agents', accountNo);
  if (refusal !== undefined) return refusal;
  const { name, mayShareName = false } = asked;
  const taken = mayShareName ? undefined : await nameTaken(transaction, accountNo, name, undefined);
  if (taken !== undefined) return taken;
  const { locationNo } = location;
  return { kind: 'invited', ...(await inviteAgent(transaction, { ...asked, locationNo })) };
}

/** The refusal of a name that an enrolled agent of the account has. An agent may have no name. */
async function nameTaken(
  { trx }: ChangeTransaction,
  accountNo: number,
  name: string,
  ownNo: number | undefined,
): Promise<Conflict | undefined> {
  if (name === '') return undefined;
  await lockAccount(trx, accountNo);
  return nameConflict(trx, { kind: 'agent', what: 'agent', accountNo }, name, ownNo);
}

/** Gives the token of an agent that has not enrolled yet its whole life again. */
export async function extendInvitation(
  transaction: ChangeTransaction,
  { token, nowUs }: { readonly token: string; readonly nowUs: number },
): Promise<void> {
  await extendToken(transaction, hashCredential(token), nowUs + tokenUs);
}

/** Records the events of an agent in the transaction that changed it. */
export type RecordAgentEvents = (
  trx: Kysely<Tables>,
  causes: readonly CauseOf<'agent-revoked'>[],
  nowUs: number,
) => Promise<void>;

/** Settings of an agent as they were sent; undefined: it stays. */
export interface SentAgent {
  readonly Name?: string | undefined;
  /** Name or id of a Location. */
  readonly Location?: string | undefined;
}

/** The agent is changed. */
interface ChangedAgent {
  readonly kind: 'changed';
  /** The Location whose last agent it was: nobody checks its devices from there now. */
  readonly leftWithoutAgent: string | null;
}

/**
 * Changes an agent. All answers show its new name, those about the past too. A move ends the agent's session within 5
 * s; the agent connects again and gets the devices of the new Location, and other agents of the old one check the
 * devices it had there. Its checks count for the Location that it had when they started.
 */
export async function changeAgent(
  transaction: ChangeTransaction,
  named: NamedAgent,
  { sent, nowUs }: { readonly sent: SentAgent; readonly nowUs: number },
): Promise<ChangedAgent | Refusal> {
  const agent = await findAgent(transaction, named);
  if (agent === undefined) return { kind: 'missing', what: 'agent' };
  const { accountNo, agentNo, agentId: id, locationNo: formerNo } = agent;
  const found = await findTarget(transaction, agent, sent.Location);
  if (found.kind !== 'found') return found;
  // GET shows stored names cleaned. Sent back, they are the stored ones.
  const old = { Name: cleanLine(agent.name), Location: cleanLine(found.former.name) };
  const next = { Name: sent.Name ?? old.Name, Location: cleanLine(found.location.name) };
  const isRenamed = next.Name !== old.Name;
  const isMoved = found.location.locationNo !== formerNo;
  const taken = isRenamed ? await nameTaken(transaction, accountNo, next.Name, agentNo) : undefined;
  if (taken !== undefined) return taken;
  if (isRenamed) await renameAgent(transaction, agent, next.Name);
  if (isMoved) {
    const { locationNo } = found.location;
    await moveAgent(transaction, agent, { locationNo, nowUs });
    await publish(transaction.trx, 'revoked', { agent_nos: [agentNo], key_nos: [] });
    await publish(transaction.trx, 'catalog', { location_nos: [formerNo, locationNo] });
  }
  const names = [...(isRenamed ? ['Name'] : []), ...(isMoved ? ['Location'] : [])];
  if (names.length > 0) {
    const fields = changedFields(names, old, next);
    transaction.record({ action: 'update', kind: 'agent', accountNo, id, fields });
  }
  const isLeft = isMoved && !(await hasAgents(transaction, formerNo));
  return { kind: 'changed', leftWithoutAgent: isLeft ? old.Location : null };
}

/** A Location with its stored name. */
interface NamedLocation {
  readonly locationNo: number;
  readonly name: string;
}

/** The Location that an agent has, and the one that it is to have: the same where none is sent. */
async function findTarget(
  { trx }: ChangeTransaction,
  { accountNo, locationNo, name, agentId, state }: Agent,
  sent: string | undefined,
): Promise<
  | { readonly kind: 'found'; readonly former: NamedLocation; readonly location: NamedLocation }
  | Invalid
  | Conflict
> {
  const former = { locationNo, name: await readLocationName(trx, locationNo) };
  if (sent === undefined || sent === cleanLine(former.name))
    return { kind: 'found', former, location: former };
  const location = await findLocation(trx, accountNo, sent);
  if (location === undefined) {
    const fault = referenceFault(
      'Location',
      'Location',
      'the name or id of a Location of this account',
      sent,
    );
    return { kind: 'invalid', faults: [fault] };
  }
  if (state === 'Revoked' && location.locationNo !== locationNo) {
    const message = `Agent ${cleanLine(name)} (${agentId}) is revoked. A revoked agent cannot be moved.`;
    return { kind: 'conflict', reason: 'agent_not_ready', message };
  }
  return { kind: 'found', former, location };
}

/**
 * Revokes an agent; missing when it is revoked already. After the commit the gateways close its stream within 5 s, and
 * other agents of the Location check its devices. The account has an event of it.
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

/**
 * Removes an agent from the lists that is revoked, or whose invitation expired. Checks and events go on to show its
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
  // What is removed counts as revoked everywhere: for its token, in sums and in lists.
  if (state === 'Expired') await markRevoked(transaction, agent);
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
