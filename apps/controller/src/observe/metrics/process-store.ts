import { dayUs } from '@vantage/domain';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';

/** How far the background jobs of all controllers are. */
export interface JobFacts {
  /** Hours before this are rolled up, microseconds since 1970; null before the first. */
  readonly rolled_to_us: number | null;
  /** Hours that are marked to be rolled up again. */
  readonly dirty_hours: number;
  /** Values that a job could not process. */
  readonly refused_items: number;
  /** Records of agents that were quarantined in the last day. */
  readonly quarantined: number;
  /** Notifications that are neither delivered nor given up; at most 100,000. */
  readonly notifications: number;
  /** When the oldest of them was stored; null: there is none. */
  readonly oldest_notification_us: number | null;
  /** Run requests that are open past their deadline. */
  readonly overdue_requests: number;
  /** When the newest backup was made; null: none was. */
  readonly last_backup_us: number | null;
  /** When the newest one that was verified was made; null: none was. */
  readonly verified_backup_us: number | null;
}

/** Reads them in one query. */
export async function readJobs({ kysely }: Pick<Db, 'kysely'>, nowUs: number): Promise<JobFacts | undefined> {
  const { rows } = await sql<JobFacts>`
    select (select at_us from job_cursors where name = 'roll-up') as rolled_to_us,
      (select count(*)::int from rollup_dirty) as dirty_hours,
      (select count(*)::int from job_quarantine) as refused_items,
      (select count(*)::int from (select 1 from quarantined where received_us > ${nowUs - dayUs}::bigint limit 100000) q)
        as quarantined,
      (select count(*)::int from (select 1 from notifications where state = 'Pending' limit 100000) n) as notifications,
      (select min(created_us) from notifications where state = 'Pending') as oldest_notification_us,
      (select count(*)::int from run_requests where state = 'Open' and deadline_us < ${nowUs}::bigint) as overdue_requests,
      (select at_us from last_backup) as last_backup_us,
      (select verified_us from last_backup) as verified_backup_us`.execute(kysely);
  return rows[0];
}
