import { raw } from '@mikro-orm/core';
import { type Kysely, sql } from 'kysely';
import { Agent } from '../../db/entities.ts';
import type { Db, Tables } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';

/** An agent with what it says about itself. */
export interface AgentFacts {
  readonly agent_no: number;
  readonly agent_id: string;
  readonly name: string;
  readonly location: string;
  readonly version: string | null;
  readonly host_name: string | null;
  readonly state: 'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked';
  readonly last_seen_us: number | null;
  readonly clock_offset_us: number;
  readonly backlog_records: number;
  readonly lateness_p50_ms: number;
  readonly lateness_p99_ms: number;
  readonly capacity: number;
  readonly offline_reason: string | null;
  /** Checks a minute of the devices it holds now. */
  readonly load: number;
}

/** A page of the account's agents in the order of their creation; `agentId` narrows it to one. */
export async function listAgents(
  { kysely }: Db,
  accountNo: number,
  page: { readonly limit: number; readonly offset: number; readonly agentId?: string },
): Promise<{ readonly rows: readonly AgentFacts[]; readonly total: number }> {
  const own = sql`a.account_no = ${accountNo}
    ${page.agentId === undefined ? sql`` : sql`and a.agent_id = ${page.agentId}`}`;
  const [found, count] = await Promise.all([
    sql<AgentFacts>`
      select a.agent_no, a.agent_id, a.name, l.name as location, a.version, a.host_name, a.state, a.last_seen_us, a.clock_offset_us,
        a.backlog_records, a.lateness_p50_ms, a.lateness_p99_ms, a.capacity, a.offline_reason,
        (select coalesce(sum(1.0 / d.frequency_min / greatest(1, s.rotation_size)), 0)::float8
          from assignment_spans s join devices d using (device_no)
          where s.agent_no = a.agent_no and s.to_us is null) as load
      from agents a join locations l using (location_no)
      where ${own} order by a.agent_no limit ${page.limit} offset ${page.offset}`.execute(kysely),
    sql<{ total: number }>`select count(*)::int as total from agents a where ${own}`.execute(kysely),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** An agent with its account, for the operator. */
export interface AccountAgent {
  readonly agent_id: string;
  readonly account: string;
  readonly location: string;
  readonly name: string;
  readonly state: string;
  readonly version: string | null;
  readonly created_at: Date;
}

/** Agents of one account, or of all when `accountNo` is undefined; by account and Location. */
export async function listAccountAgents(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
): Promise<readonly AccountAgent[]> {
  const { rows } = await sql<AccountAgent>`
    select a.agent_id, o.name as account, l.name as location, a.name, a.state, a.version, a.created_at
    from agents a join accounts o using (account_no) join locations l using (location_no)
    where ${accountNo ?? null}::int is null or a.account_no = ${accountNo ?? null}::int
    order by o.name, l.name, a.agent_no`.execute(kysely);
  return rows;
}

/** The agent with the token of this SHA-256; undefined when there is none. */
export async function findAgentByToken(
  kysely: Kysely<Tables>,
  hash: Uint8Array,
): Promise<
  | { readonly agent_id: string; readonly state: AgentFacts['state']; readonly session_counter: number }
  | undefined
> {
  return kysely
    .selectFrom('agents')
    .select(['agent_id', 'state', 'session_counter'])
    .where('token_hash', '=', hash)
    .executeTakeFirst();
}

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

/** Marks an agent as revoked, and returns the state that it had; undefined when no agent has this id, or it is revoked already. */
export async function markAgentRevoked(
  { em, trx }: ChangeTransaction,
  agentId: string,
): Promise<{ readonly agent: Agent; readonly before: Agent['state'] } | undefined> {
  await lockAgentRow(trx, agentId);
  const agent = await em.findOne(Agent, { agentId, revokedAt: null });
  if (agent === null) return undefined;
  const before = agent.state;
  em.assign(agent, { state: 'Revoked', revokedAt: raw('now()') });
  await em.flush();
  return { agent, before };
}

/** Ends the fence of an agent; undefined when no fenced agent has this id. */
export async function markAgentUnfenced(
  { em, trx }: ChangeTransaction,
  agentId: string,
): Promise<Agent | undefined> {
  await lockAgentRow(trx, agentId);
  const agent = await em.findOne(Agent, { agentId, state: 'Fenced' });
  if (agent === null) return undefined;
  em.assign(agent, { state: 'Away', sessionCounter: 0 });
  await em.flush();
  return agent;
}

/** Keeps gateways from changing the agent's state until the transaction ends. */
async function lockAgentRow(trx: Kysely<Tables>, agentId: string): Promise<void> {
  await trx.selectFrom('agents').select('agent_no').where('agent_id', '=', agentId).forUpdate().execute();
}
