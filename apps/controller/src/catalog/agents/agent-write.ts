import { cleanLine } from '@vantage/domain';
import type { CauseOf } from '@vantage/health';
import { publish, type Tables } from '@vantage/storage';
import type { Agent } from '@vantage/storage/entities';
import type { Kysely } from 'kysely';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';
import { referenceFault } from '../../resources/external-key.ts';
import { changedFields } from '../../resources/field-changes.ts';
import { nameConflict } from '../../resources/name-conflict.ts';
import type { Conflict, Invalid, Refusal } from '../../resources/refusal.ts';
import {
  findAgent,
  findLocation,
  hasAgents,
  moveAgent,
  type NamedAgent,
  readLocationName,
  renameAgent,
} from './agent-write-store.ts';

/** The refusal of a name that an enrolled agent of the account has. An agent may have no name. */
export async function nameTaken(
  { trx }: ChangeTransaction,
  accountNo: number,
  name: string,
  ownNo: number | undefined,
): Promise<Conflict | undefined> {
  if (name === '') return undefined;
  await lockAccount(trx, accountNo);
  return nameConflict(trx, { kind: 'agent', what: 'agent', accountNo }, name, ownNo);
}

/** Records the events of an agent in the transaction that changed it. */
export type RecordRevocations = (
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
  /** The Location whose last agent it was: its devices are not checked from there now. */
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
