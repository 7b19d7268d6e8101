import { raw } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import { Agent } from '../../db/entities.ts';
import type { Tables } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';

/** Inserts an agent. */
export async function insertAgent(
  { em }: ChangeTransaction,
  agent: Pick<Agent, 'agentId' | 'accountNo' | 'locationNo' | 'name' | 'tokenHash'>,
): Promise<void> {
  em.create(Agent, agent);
  await em.flush();
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

/** An agent that is to be changed: of one account, or of any for the operator. */
export interface NamedAgent {
  readonly agentId: string;
  readonly accountNo?: number;
}

/** The agent, unless it is removed. Gateways cannot change its row until the transaction ends. */
export async function findAgent(
  { em, trx }: ChangeTransaction,
  { agentId, accountNo }: NamedAgent,
): Promise<Agent | undefined> {
  await trx.selectFrom('agents').select('agent_no').where('agent_id', '=', agentId).forUpdate().execute();
  const own = accountNo === undefined ? {} : { accountNo };
  return (await em.findOne(Agent, { agentId, removedAt: null, ...own })) ?? undefined;
}

/** Gives an agent another name. */
export async function renameAgent({ em }: ChangeTransaction, agent: Agent, name: string): Promise<void> {
  em.assign(agent, { name });
  await em.flush();
}

/** Marks an agent as revoked. */
export async function markRevoked({ em }: ChangeTransaction, agent: Agent): Promise<void> {
  em.assign(agent, { state: 'Revoked', revokedAt: raw('now()') });
  await em.flush();
}

/** Marks an agent as removed: no list shows it any more. */
export async function markRemoved({ em }: ChangeTransaction, agent: Agent): Promise<void> {
  em.assign(agent, { removedAt: raw('now()') });
  await em.flush();
}

/** Ends the fence of an agent. The gateways accept any session number next. */
export async function markUnfenced({ em }: ChangeTransaction, agent: Agent): Promise<void> {
  em.assign(agent, { state: 'Away', sessionCounter: 0 });
  await em.flush();
}
