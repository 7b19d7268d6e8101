import { dayUs } from '@vantage/domain';
import type { Db } from '@vantage/storage';
import { sql } from 'kysely';

/** The progress of the background jobs of all controllers. */
export interface JobFacts {
  /** Hours before this are rolled up, microseconds since 1970; null before the first. */
  readonly rolled_to_us: number | null;
  /** Hours to roll up again. */
  readonly dirty_hours: number;
  /** Values that a job could not process. */
  readonly refused_items: number;
  /** Records of agents that were quarantined in the last day. */
  readonly quarantined: number;
  /** Notifications that are neither delivered nor given up; at most 100,000. */
  readonly notifications: number;
  /** When the oldest pending notification was stored; null: there is none. */
  readonly oldest_notification_us: number | null;
  /** Run requests that are open past their deadline. */
  readonly overdue_requests: number;
  /** When the newest backup was made; null: there is none. */
  readonly last_backup_us: number | null;
  /** When the newest verified backup was made; null: there is none. */
  readonly verified_backup_us: number | null;
}

/** Reads the progress in one query, of all accounts or of one. The roll-up is shared by all accounts. */
export async function readJobs(
  { kysely }: Pick<Db, 'kysely'>,
  nowUs: number,
  accountNo?: number,
): Promise<JobFacts | undefined> {
  const onlyNo = accountNo ?? null;
  const ofDevice = sql`(${onlyNo}::int is null or exists (
    select from devices d where d.device_no = r.device_no and d.account_no = ${onlyNo}::int))`;
  const ofAgent = sql`(${onlyNo}::int is null or exists (
    select from agents a where a.agent_no = r.agent_no and a.account_no = ${onlyNo}::int))`;
  const ofAccount = sql`(${onlyNo}::int is null or account_no = ${onlyNo}::int)`;
  const { rows } = await sql<JobFacts>`
    select (select at_us from job_cursors where name = 'roll-up') as rolled_to_us,
      (select count(*)::int from rollup_dirty) as dirty_hours,
      (select count(*)::int from job_quarantine where ${onlyNo}::int is null) as refused_items,
      (select count(*)::int from (select 1 from quarantined r where received_us > ${nowUs - dayUs}::bigint and ${ofAgent} limit 100000) q)
        as quarantined,
      (select count(*)::int from (select 1 from notifications where state = 'Pending' and ${ofAccount} limit 100000) n) as notifications,
      (select min(created_us) from notifications where state = 'Pending' and ${ofAccount}) as oldest_notification_us,
      (select count(*)::int from run_requests r where state = 'Open' and deadline_us < ${nowUs}::bigint and ${ofDevice}) as overdue_requests,
      (select at_us from last_backup) as last_backup_us,
      (select verified_us from last_backup) as verified_backup_us`.execute(kysely);
  return rows[0];
}
