import { cleanLine, dayUs } from '@vantage/domain';
import { dueMonth, type Month, type Outage, reportOf, type UptimeRow } from '@vantage/domain/report';
import { type Clock, createJobParts, createWaker, knownZone, type Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { realTime, shortestRoundMs, type TimeScale } from '../../../platform/config/time-scale.ts';
import type { Db, Tables } from '../../../platform/db/index.ts';
import { insertReportMails } from '../mails/mail-store.ts';
import { reportMail } from './report-mail.ts';

/** Reads the facts of a report, as `GET /uptime` and `GET /outages` say them. */
type ReadReportFigures = (ask: {
  readonly accountNo: number;
  readonly timezone: string;
  readonly tagNos: readonly number[] | null;
  readonly fromUs: number;
  readonly toUs: number;
  readonly nowUs: number;
}) => Promise<{
  readonly uptimes: readonly UptimeRow[];
  readonly outages: readonly Outage[];
  readonly isCut: boolean;
  readonly tags: ReadonlyMap<string, readonly string[]>;
}>;

/** How far the roll-ups have come. */
type ReadRollUps = () => Promise<{ readonly rolledToUs: number; readonly dirty: ReadonlySet<number> }>;

/** Dependencies of the monthly reports. */
export interface ReportMailDeps {
  readonly db: Pick<Db, 'kysely'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  readonly readFigures: ReadReportFigures;
  readonly rollUps: ReadRollUps;
  /** Where the controller is, without a slash at the end. */
  readonly baseUrl: () => string;
  /** False while the clock of the controller may be wrong: no month is judged to have ended then. */
  readonly mayJudge: () => boolean;
}

const roundMs = 60_000;

/**
 * Stores the mails of monthly reports when a month has ended, until the signal aborts. Any number of controllers may
 * run it: a month is recorded in the transaction that stores its mails.
 */
export async function runReportMails(deps: ReportMailDeps, signal: AbortSignal): Promise<void> {
  const { db, clock, log, timeScale = realTime } = deps;
  const parts = createJobParts({
    log,
    failed: 'monthly reports cannot be made; trying again',
    recovered: 'monthly reports are made again',
  });
  const waker = createWaker(clock);
  const round = async () => {
    const reports = deps.mayJudge() ? await listMonthlyReports(db.kysely) : [];
    const rolled = reports.length === 0 ? undefined : await deps.rollUps();
    if (rolled === undefined) return;
    const isRolledUp = ({ toUs }: Month) =>
      rolled.rolledToUs >= toUs && ![...rolled.dirty].some((us) => us < toUs && us >= toUs - dayUs);
    for (const report of reports) {
      if (signal.aborted) return;
      const month = dueOf(report, clock.nowUs(), isRolledUp);
      if (month !== undefined)
        await parts.attempt(`report ${report.report_no}`, () => make(deps, report, month));
    }
  };
  while (!signal.aborted) {
    await parts.attempt('reports', round);
    await waker.wait(timeScale(roundMs, shortestRoundMs), signal);
  }
}

function dueOf(
  { created_us: createdUs, month, timezone }: MonthlyReport,
  nowUs: number,
  isRolledUp: (month: Month) => boolean,
): Month | undefined {
  return dueMonth({ createdUs, month }, timezone, { nowUs, isRolledUp });
}

/**
 * Stores the mails of one month of a report, unless another controller did meanwhile. The figures are read before the
 * transaction begins, because an account with many devices takes longer than a transaction may be idle.
 */
async function make(
  { db, clock, readFigures, baseUrl }: ReportMailDeps,
  report: MonthlyReport,
  month: Month,
) {
  const { report_no: reportNo, account_no: accountNo, timezone, tag_nos: tagNos } = report;
  const objective = report.objective ?? undefined;
  const { fromUs, toUs } = month;
  const facts = await readFigures({ accountNo, timezone, tagNos, fromUs, toUs, nowUs: clock.nowUs() });
  const mail = reportMail({
    name: cleanLine(report.name),
    month: month.month,
    zone: timezone,
    isAll: tagNos === null,
    objective,
    isCut: facts.isCut,
    baseUrl: baseUrl(),
    report: reportOf({ ...facts, base: '', objective, restSeconds: 0 }),
  });
  await db.kysely.transaction().execute(async (trx) => {
    const locked = await lockReport(trx, reportNo);
    if (locked === undefined || locked.month !== report.month) return;
    const nowUs = clock.nowUs();
    await insertReportMails(trx, { ...mail, reportNo, contactNos: locked.contact_nos, nowUs });
    await storeMonth(trx, { reportNo, month: month.month, nowUs });
  });
}

/** A monthly report and how far it is. */
interface MonthlyReport {
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

/** All monthly reports, in turns by account: one with many devices takes long to read. */
async function listMonthlyReports(kysely: Kysely<Tables>): Promise<readonly MonthlyReport[]> {
  const { rows } = await sql<MonthlyReport>`select ${columns}
    order by row_number() over (partition by r.account_no order by r.report_no), r.report_no`.execute(kysely);
  return rows.map((row) => ({ ...row, timezone: knownZone(row.timezone) }));
}

/** Locks a report for the transaction; undefined: another controller makes its mails, or it is gone. */
async function lockReport(trx: Kysely<Tables>, reportNo: number): Promise<MonthlyReport | undefined> {
  // A statement of its own, so that the next one sees what the holder before committed.
  const { rows: locks } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('monthly report', ${reportNo}::bigint)) as locked`.execute(
    trx,
  );
  if (locks[0]?.locked !== true) return undefined;
  const { rows } = await sql<MonthlyReport>`select ${columns} where r.report_no = ${reportNo}`.execute(trx);
  return rows[0];
}

/** Records that the mails of a month are stored. */
async function storeMonth(
  trx: Kysely<Tables>,
  { reportNo, month, nowUs }: { readonly reportNo: number; readonly month: string; readonly nowUs: number },
): Promise<void> {
  await sql`
    insert into report_progress (report_no, month, stored_us) values (${reportNo}, ${month}, ${nowUs})
    on conflict (report_no) do update set month = excluded.month, stored_us = excluded.stored_us`.execute(
    trx,
  );
}
