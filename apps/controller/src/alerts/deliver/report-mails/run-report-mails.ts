import { cleanLine, dayUs } from '@vantage/domain';
import { dueMonth, type Month, type Outage, reportOf, type UptimeRow } from '@vantage/domain/report';
import { type Clock, createJobParts, createWaker, type Logger } from '@vantage/kernel';
import type { Db } from '@vantage/storage';
import { realTime, shortestRoundMs, type TimeScale } from '../../../config/time-scale.ts';
import { insertReportMails } from '../mails/insert-mails.ts';
import { listMonthlyReports, lockReport, type MonthlyReportRow, storeMonth } from './monthly-report-store.ts';
import { reportMail } from './report-mail.ts';

/** Reads the facts of a report, as `GET /uptime` and `GET /outages` show them. */
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

/** The progress of the roll-ups. */
type ReadRollUps = () => Promise<{ readonly rolledToUs: number; readonly dirty: ReadonlySet<number> }>;

export interface ReportMailDeps {
  readonly db: Pick<Db, 'kysely'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeScale?: TimeScale;
  readonly readFigures: ReadReportFigures;
  readonly rollUps: ReadRollUps;
  /** The controller's address without a trailing slash. */
  readonly baseUrl: () => string;
  /** False while the clock of the controller may be wrong: no month counts as ended then. */
  readonly mayEndMonth: () => boolean;
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
    failed: 'monthly reports cannot be composed; trying again',
    recovered: 'monthly reports are composed again',
  });
  const waker = createWaker(clock);
  const round = async () => {
    const reports = deps.mayEndMonth() ? await listMonthlyReports(db.kysely) : [];
    const rolled = reports.length === 0 ? undefined : await deps.rollUps();
    if (rolled === undefined) return;
    const isRolledUp = ({ toUs }: Month) =>
      rolled.rolledToUs >= toUs && ![...rolled.dirty].some((us) => us < toUs && us >= toUs - dayUs);
    for (const report of reports) {
      if (signal.aborted) return;
      const month = dueOf(report, clock.nowUs(), isRolledUp);
      if (month !== undefined)
        await parts.attempt(`report ${report.report_no}`, () => storeReport(deps, report, month));
    }
  };
  while (!signal.aborted) {
    await parts.attempt('reports', round);
    await waker.wait(timeScale(roundMs, shortestRoundMs), signal);
  }
}

function dueOf(
  { created_us: createdUs, month, timezone }: MonthlyReportRow,
  nowUs: number,
  isRolledUp: (month: Month) => boolean,
): Month | undefined {
  return dueMonth({ createdUs, month }, timezone, { nowUs, isRolledUp });
}

/**
 * Stores the mails of one month of a report, unless another controller stored them meanwhile. The figures are read
 * before the transaction begins, because an account with many devices takes longer than a transaction may be idle.
 */
async function storeReport(
  { db, clock, readFigures, baseUrl }: ReportMailDeps,
  report: MonthlyReportRow,
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
