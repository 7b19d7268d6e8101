import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';

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
