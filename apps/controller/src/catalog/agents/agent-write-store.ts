import { raw } from '@mikro-orm/core';
import { agentStateAt, type Tables } from '@vantage/storage';
import { Agent, FormerLocation } from '@vantage/storage/entities';
import type { Kysely } from 'kysely';
import { lockAccount } from '../../resources/account-lock.ts';
import type { ChangeTransaction } from '../../resources/change.ts';

/** Inserts an agent. */
export async function insertAgent(
  { em }: ChangeTransaction,
  agent: Pick<Agent, 'agentId' | 'accountNo' | 'locationNo' | 'name' | 'tokenHash' | 'tokenExpiresUs'>,
): Promise<void> {
  em.create(Agent, agent);
  await em.flush();
}

/** The token of this hash expires at `expiresUs`, if its agent has not enrolled. */
export async function extendToken(
  { trx }: ChangeTransaction,
  tokenHash: Uint8Array,
  expiresUs: number,
): Promise<void> {
  await trx
    .updateTable('agents')
    .set({ token_expires_us: expiresUs })
    .where('token_hash', '=', tokenHash)
    .where('key_hash', 'is', null)
    .execute();
}

/** The name of a Location, which is not deleted until the transaction ends. Throws when it is deleted. */
export async function readLocationName(trx: Kysely<Tables>, locationNo: number): Promise<string> {
  const { name } = await trx
    .selectFrom('locations')
    .select('name')
    .where('location_no', '=', locationNo)
    .where('deleted_at', 'is', null)
    .forKeyShare()
    .executeTakeFirstOrThrow();
  return name;
}

/** Whether a Location has an agent that is not revoked. */
export async function hasAgents({ trx }: ChangeTransaction, locationNo: number): Promise<boolean> {
  const agent = await trx
    .selectFrom('agents')
    .select('agent_no')
    .where('location_no', '=', locationNo)
    .where('state', '<>', 'Revoked')
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return agent !== undefined;
}

/** An agent that is to be changed: of one account, or of any for the operator. */
export interface NamedAgent {
  readonly agentId: string;
  readonly accountNo?: number;
}

/** The agent, unless it is removed. Its account and its row are locked until the transaction ends. */
export async function findAgent(
  { em, trx }: ChangeTransaction,
  { agentId, accountNo }: NamedAgent,
): Promise<Agent | undefined> {
  const agents = trx.selectFrom('agents').select('account_no').where('agent_id', '=', agentId);
  const owner = await agents.executeTakeFirst();
  if (owner === undefined || (accountNo !== undefined && accountNo !== owner.account_no)) return undefined;
  await lockAccount(trx, owner.account_no);
  await agents.forUpdate().execute();
  return (await em.findOne(Agent, { agentId, removedAt: null })) ?? undefined;
}

/** The agent's state at `nowUs`, with Expired. */
export async function readState(trx: Kysely<Tables>, agentNo: number, nowUs: number): Promise<string> {
  const { state } = await trx
    .selectFrom('agents as a')
    .select(agentStateAt<string>(nowUs).as('state'))
    .where('a.agent_no', '=', agentNo)
    .executeTakeFirstOrThrow();
  return state;
}

/** The account's Location of this name or id. It cannot be deleted until the transaction ends. */
export async function findLocation(
  trx: Kysely<Tables>,
  accountNo: number,
  nameOrId: string,
): Promise<{ readonly locationNo: number; readonly name: string } | undefined> {
  return trx
    .selectFrom('locations')
    .select(['location_no as locationNo', 'name'])
    .where('account_no', '=', accountNo)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('name', '=', nameOrId), where('location_id', '=', nameOrId)]))
    .forKeyShare()
    .executeTakeFirst();
}

/** Gives an agent another name. */
export async function renameAgent({ em }: ChangeTransaction, agent: Agent, name: string): Promise<void> {
  em.assign(agent, { name });
  await em.flush();
}

/** Moves an agent to another Location at `nowUs`. It counts as connected there once it opened a session there. */
export async function moveAgent(
  { em, trx }: ChangeTransaction,
  agent: Agent,
  { locationNo, nowUs }: { readonly locationNo: number; readonly nowUs: number },
): Promise<void> {
  const { agentNo, locationNo: formerNo, state } = agent;
  const last = await trx
    .selectFrom('former_locations')
    .select((column) => column.fn.max('to_us').as('to_us'))
    .where('agent_no', '=', agentNo)
    .executeTakeFirst();
  const fromUs = last?.to_us ?? 0;
  const toUs = Math.max(nowUs, fromUs + 1);
  em.create(FormerLocation, { agentNo, locationNo: formerNo, fromUs, toUs });
  em.assign(agent, { locationNo });
  if (state === 'Connected') em.assign(agent, { state: 'Away', awaySinceUs: toUs });
  await em.flush();
}

/** Marks an agent as revoked. */
export async function setRevoked({ em }: ChangeTransaction, agent: Agent): Promise<void> {
  em.assign(agent, { state: 'Revoked', revokedAt: raw('now()') });
  await em.flush();
}

/** Removes an agent from all lists. */
export async function setRemoved({ em }: ChangeTransaction, agent: Agent): Promise<void> {
  em.assign(agent, { removedAt: raw('now()') });
  await em.flush();
}

/** Ends the fence of an agent. The gateways accept any session number next. */
export async function setUnfenced({ em }: ChangeTransaction, agent: Agent): Promise<void> {
  em.assign(agent, { state: 'Away', sessionCounter: 0 });
  await em.flush();
}
