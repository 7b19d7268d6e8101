import { knownZone } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A monthly report and its progress. */
export interface MonthlyReportRow {
  readonly report_no: number;
  readonly account_no: number;
  readonly name: string;
  readonly tag_nos: readonly number[] | null;
  readonly contact_nos: readonly number[];
  /** Thousandths of a percent; null: none. */
  readonly objective: number | null;
  readonly created_us: number;
  readonly timezone: string;
  /** The last month of which mails were stored; null: none yet. */
  readonly month: string | null;
}

const columns = sql`r.report_no, r.account_no, r.name, r.tag_nos, r.contact_nos, r.objective, r.created_us, a.timezone, p.month
  from reports r join accounts a using (account_no) left join report_progress p using (report_no)`;

/** All monthly reports, in turns by account, because a report about many devices takes long to read. */
export async function listMonthlyReports(kysely: Kysely<Tables>): Promise<readonly MonthlyReportRow[]> {
  const { rows } = await sql<MonthlyReportRow>`select ${columns}
    order by row_number() over (partition by r.account_no order by r.report_no), r.report_no`.execute(kysely);
  return rows.map((row) => ({ ...row, timezone: knownZone(row.timezone) }));
}

/** Locks a report for the transaction; undefined: another controller composes its mails, or it was deleted. */
export async function lockReport(
  trx: Kysely<Tables>,
  reportNo: number,
): Promise<MonthlyReportRow | undefined> {
  // A separate statement, so that the next one sees what the previous owner of the lock committed.
  const { rows: locks } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('monthly report', ${reportNo}::bigint)) as locked`.execute(
    trx,
  );
  if (locks[0]?.locked !== true) return undefined;
  const { rows } = await sql<MonthlyReportRow>`select ${columns} where r.report_no = ${reportNo}`.execute(
    trx,
  );
  return rows[0];
}

/** Records that the mails of a month are stored. */
export async function storeMonth(
  trx: Kysely<Tables>,
  { reportNo, month, nowUs }: { readonly reportNo: number; readonly month: string; readonly nowUs: number },
): Promise<void> {
  await sql`
    insert into report_progress (report_no, month, stored_us) values (${reportNo}, ${month}, ${nowUs})
    on conflict (report_no) do update set month = excluded.month, stored_us = excluded.stored_us`.execute(
    trx,
  );
}
