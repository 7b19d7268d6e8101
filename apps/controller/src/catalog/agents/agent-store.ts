import { agentStateAt, type Reader, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The states that the column has. */
type AgentState = 'New' | 'Connected' | 'Away' | 'Fenced' | 'Revoked';

/** An agent with what it says about itself. */
export interface AgentFacts {
  readonly agent_no: number;
  readonly agent_id: string;
  readonly name: string;
  readonly location: string;
  readonly location_id: string;
  readonly version: string | null;
  readonly host_name: string | null;
  readonly state: AgentState | 'Expired';
  readonly last_seen_us: number | null;
  readonly clock_offset_us: number;
  readonly backlog_records: number;
  readonly lateness_p50_ms: number;
  readonly lateness_p99_ms: number;
  readonly capacity: number;
  readonly offline_reason: string | null;
  readonly certificate_end_us: number | null;
  /** The latest requested upgrade. */
  readonly upgrade: {
    readonly version: string;
    readonly state: 'Waiting' | 'Started' | 'Downloading' | 'Restarting' | 'Done' | 'Failed' | 'Stopped';
    readonly reason: string | null;
    readonly changed_us: number;
  } | null;
  /** Checks a minute of the devices it holds now. */
  readonly load: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/**
 * A page of the account's agents that are not removed, in the order of their creation, at `nowUs`; `agentId` narrows it
 * to one.
 */
export async function listAgents(
  { kysely }: Reader,
  accountNo: number,
  page: {
    readonly limit: number;
    readonly offset: number;
    readonly agentId?: string;
    readonly nowUs: number;
  },
): Promise<{ readonly rows: readonly AgentFacts[]; readonly total: number }> {
  const own = sql`a.account_no = ${accountNo} and a.removed_at is null
    ${page.agentId === undefined ? sql`` : sql`and a.agent_id = ${page.agentId}`}`;
  const [found, count] = await Promise.all([
    sql<AgentFacts>`
      select a.agent_no, a.agent_id, a.name, l.name as location, l.location_id, a.version, a.host_name, ${agentStateAt(page.nowUs)} as state, a.last_seen_us, a.clock_offset_us,
        a.backlog_records, a.lateness_p50_ms, a.lateness_p99_ms, a.capacity, a.offline_reason, a.certificate_end_us, a.created_at, a.updated_at,
        (select jsonb_build_object('version', u.version, 'state', u.state, 'reason', u.reason, 'changed_us', u.changed_us)
          from agent_upgrades u where u.agent_no = a.agent_no) as upgrade,
        (select coalesce(sum(1.0 / interval_min(d.frequency_s, d.frequency_min) / greatest(1, s.rotation_size)), 0)::float8
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
  readonly upgrade: string | null;
  readonly created_at: Date;
}

/**
 * Agents that are not removed, of one account or of all when `accountNo` is undefined; by account and Location, at
 * `nowUs`.
 */
export async function listAccountAgents(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
  nowUs: number,
): Promise<readonly AccountAgent[]> {
  const { rows } = await sql<AccountAgent>`
    select a.agent_id, o.name as account, l.name as location, a.name, ${agentStateAt(nowUs)} as state, a.version,
      u.version || ' ' || u.state || coalesce(': ' || u.reason, '') as upgrade, a.created_at
    from agents a join accounts o using (account_no) join locations l using (location_no)
      left join agent_upgrades u using (agent_no)
    where a.removed_at is null and (${accountNo ?? null}::int is null or a.account_no = ${accountNo ?? null}::int)
    order by o.name, l.name, a.agent_no`.execute(kysely);
  return rows;
}

/** The shortest begin of an id that names an agent. */
const shortestId = 6;

/** Agents that are not removed, whose id, begin of the id (of six characters or more) or name this is; the id first. */
export async function findAgentsCalled(
  kysely: Kysely<Tables>,
  called: string,
): Promise<readonly { readonly agent_id: string; readonly name: string; readonly location: string }[]> {
  const { rows } = await sql<{ agent_id: string; name: string; location: string }>`
    select a.agent_id, a.name, l.name as location from agents a join locations l using (location_no)
    where a.removed_at is null and (a.agent_id = ${called} or lower(a.name) = lower(${called})
      or (${called.length >= shortestId} and starts_with(a.agent_id, ${called})))
    order by a.agent_id <> ${called}, a.agent_no`.execute(kysely);
  return rows;
}

/** The agent with the token of this SHA-256; undefined when there is none. */
export async function findAgentByToken(
  kysely: Kysely<Tables>,
  hash: Uint8Array,
): Promise<
  | {
      readonly agent_id: string;
      readonly state: AgentState;
      readonly session_counter: number;
      readonly key_hash: Uint8Array | null;
    }
  | undefined
> {
  return kysely
    .selectFrom('agents')
    .select(['agent_id', 'state', 'session_counter', 'key_hash'])
    .where('token_hash', '=', hash)
    .executeTakeFirst();
}
