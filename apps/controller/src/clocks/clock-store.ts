import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** The clock of the database, microseconds since 1970. */
export async function databaseNowUs(kysely: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ us: number }>`
    select (extract(epoch from clock_timestamp()) * 1e6)::bigint as us`.execute(kysely);
  return rows[0]?.us ?? Number.NaN;
}

/**
 * The median of the offsets (controller minus agent, microseconds) of each account's connected agents that run on other
 * machines than `hostName`.
 */
export async function accountOffsets(kysely: Kysely<Tables>, hostName: string): Promise<readonly number[]> {
  const { rows } = await sql<{ us: number }>`
    select (percentile_disc(0.5) within group (order by clock_offset_us))::bigint as us from agents
    where state = 'Connected' and host_name is distinct from ${hostName} group by account_no limit 10000`.execute(
    kysely,
  );
  return rows.map(({ us }) => us);
}

/** When the newest heartbeat of an agent was stored, microseconds since 1970; undefined: none was. */
export async function newestStoredUs(kysely: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{
    us: number | null;
  }>`select max(last_seen_us)::bigint as us from agents`.execute(kysely);
  return rows[0]?.us ?? undefined;
}
