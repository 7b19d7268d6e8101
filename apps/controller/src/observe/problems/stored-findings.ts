import { hourMs } from '@vantage/domain/units';
import type { JobFacts } from '../metrics/job-store.ts';
import { finding, type InstallationFinding } from './installation-finding.ts';
import type { BackupAges, StoredFacts, SumFacts } from './stored-facts.ts';

/** Retries of a message for a failing receiver are normal for this time. */
const lateMessageMs = 15 * 60_000;
/** An hour is rolled up when it has ended and late results no longer come. */
const lateRollUpMs = 3 * hourMs;

export function ofStored(
  stored: StoredFacts,
  { nowUs, backupMaxDays }: { readonly nowUs: number; readonly backupMaxDays: number },
): readonly InstallationFinding[] {
  const { backups, ageS, isContactFailing, workersAway, areTablesOnWorkers, sums, jobs } = stored;
  return [
    ...ofBackups(backups, ageS, backupMaxDays),
    isContactFailing &&
      finding('contact_failing', 'a contact cannot be reached, and messages to it wait', {
        severity: 'fault',
      }),
    ...workersAway.map((worker) =>
      finding(
        'worker_away',
        `the worker ${worker} of the history does not answer: days are not packed, and pages of its old checks answer 503`,
      ),
    ),
    areTablesOnWorkers &&
      finding(
        'tables_on_workers',
        'checks and roll-ups are on the workers of the Citus cluster, as version 0.3.0 placed them: results are stored, but lists of devices and pages of checks answer 503',
        { severity: 'fault' },
      ),
    ...ofSums(sums),
    ...(jobs === undefined ? [] : ofJobs(jobs, nowUs)),
  ].filter((found) => found !== false);
}

function ofSums({ repaired, damaged }: SumFacts): readonly InstallationFinding[] {
  return [
    repaired > 0 &&
      finding(
        'sums_repaired',
        `the sums of ${things(repaired, 'day')} of devices differed from their checks, and were computed again`,
      ),
    damaged > 0 &&
      finding(
        'checks_damaged',
        `the checks of ${things(damaged, 'day')} of devices are damaged or missing; their sums are kept`,
      ),
  ].filter((found) => found !== false);
}

function ofJobs(jobs: JobFacts, nowUs: number): readonly InstallationFinding[] {
  const ageMs = (us: number | null) => (us === null ? 0 : (nowUs - us) / 1000);
  const [waitsMs, rolledMs] = [ageMs(jobs.oldest_notification_us), ageMs(jobs.rolled_to_us)];
  return [
    waitsMs > lateMessageMs &&
      finding('messages_late', `a message has waited for ${things(waitsMs / 60_000, 'minute')}`),
    rolledMs > lateRollUpMs &&
      finding('roll_up_late', `no hour was rolled up for ${things(rolledMs / hourMs, 'hour')}`),
    jobs.overdue_requests > 0 &&
      finding('requests_overdue', `${things(jobs.overdue_requests, 'requested check')} did not run`),
    jobs.refused_items > 0 &&
      finding('items_refused', `a background job cannot process ${things(jobs.refused_items, 'value')}`),
  ].filter((found) => found !== false);
}

const daySeconds = 86_400;

/**
 * | backups | finding | alert `backup.old` |
 * |---|---|---|
 * | never one | `backup_none` | when the installation is older than `maxDays` |
 * | some, none verified | `backup_old` where the newest one is older than `maxDays` | at once |
 * | some verified | the same of the newest verified one, because others may be unusable | at once |
 *
 * `maxDays` 0: the age of backups is not checked. `ageS` is the age of the installation, in seconds.
 */
function ofBackups(
  { made, verified }: BackupAges,
  ageS: number,
  maxDays: number,
): readonly InstallationFinding[] {
  if (maxDays === 0) return [];
  const kind = 'backup.old';
  const age = verified ?? made;
  if (age === null) {
    const reason = 'no backup was ever made';
    return [
      finding('backup_none', reason, {
        alert: ageS > maxDays * daySeconds ? { kind, reason } : undefined,
      }),
    ];
  }
  if (age <= maxDays * daySeconds) return [];
  const which = verified === null ? 'the newest backup' : 'the newest backup that was verified';
  const reason = `${which} is ${things(age / daySeconds, 'day')} old`;
  return [finding('backup_old', reason, { alert: { kind, reason } })];
}

function things(count: number, noun: string): string {
  const whole = Math.floor(count);
  return `${whole} ${noun}${whole === 1 ? '' : 's'}`;
}
