import type { FindingId } from '@vantage/domain';
import { dayMs, hourMs } from '@vantage/domain/units';
import type { LostSpan } from '../../platform/continuity/index.ts';
import type { KeyFileState } from '../../platform/secrets/open-sealer.ts';
import type { JobFacts } from '../metrics/process-store.ts';
import type { BackupAges, StoredFacts } from './stored-facts.ts';

/** Kinds of alerts about the installation itself; each account is notified. */
type ProblemKind =
  | 'clock.wrong'
  | 'disk.low'
  | 'backup.old'
  | 'database.back'
  | 'certificate.failing'
  | 'key.missing';

/** The alert that a finding raises. */
export interface Problem {
  readonly kind: ProblemKind;
  /** One sentence for people. */
  readonly reason: string;
  /** Only these accounts are notified; undefined: all. */
  readonly accountNos?: readonly number[] | undefined;
}

/** The facts of one controller. */
export interface Facts {
  readonly nowUs: number;
  readonly clocks: {
    readonly problem: string | undefined;
    readonly alarm: Pick<Problem, 'reason' | 'accountNos'> | undefined;
  };
  readonly disk: { readonly problem: string | undefined };
  readonly certificates: {
    /** The fault of the certificate in use, for people. */
    readonly problem: string | undefined;
    readonly apiEndUs: number;
    /** The files could not be taken into use since then; undefined: they could. */
    readonly refusedSinceUs: number | undefined;
  };
  readonly continuity: { readonly wentBack: LostSpan | undefined };
  /** The database of the settings was copied to the one that is used. */
  readonly isMoved: boolean;
  readonly keyFile: KeyFileState;
  /** VANTAGE_BACKUP_MAX_DAYS; 0: the age of backups is not checked. */
  readonly backupMaxDays: number;
  /** The facts that the database has; undefined: it never answered. */
  readonly stored: StoredFacts | undefined;
}

/**
 * The action that ends each finding. Texts and remedies are in `/readyz`, which strangers may read: they
 * name no person, no address and no path of a secret.
 */
const remedies: Readonly<Record<FindingId, string>> = {
  clock_wrong:
    'Compare the clock that is named with another one (`timedatectl`, `chronyc tracking`), and correct it. docs/operate.md, "A wrong clock".',
  disk_low:
    'Make room, or give the disk more. When it is full, results wait at their agents. docs/operate.md, "The disk is full".',
  certificate_ending:
    'Renew the files of VANTAGE_TLS_CERT and VANTAGE_TLS_KEY. The controller reads them within a minute.',
  certificate_refused:
    'Correct the files: the certificate first, then its chain, and the key that belongs to it. The controller reads them within a minute after they changed; its log has the reason (`the certificates cannot be renewed`).',
  database_back:
    'Look for devices, contacts and keys that were changed between these times, and change them again. docs/operate.md, "A primary with replicas".',
  database_moved: 'Set VANTAGE_DATABASE_URL to the database that is used; the doctor names it.',
  key_missing:
    'Put secret.key back from where you keep it, or restore it from a backup, before a controller is started again. docs/secrets.md.',
  key_other:
    'Put the right secret.key back before a controller is started again; all controllers of a database share one. docs/secrets.md.',
  backup_none:
    'Run "./vantage backup FILE --verify" on the host of the controller, and let a timer repeat it each night. VANTAGE_BACKUP_MAX_DAYS=0 where you back up by other means.',
  backup_old: 'Find out why the timer made no backup since, then run "./vantage backup FILE --verify".',
  contact_failing:
    'GET /contacts and the page show its last answer. Correct its Address, then send a test: what waits leaves at once.',
  worker_away: 'Look at that server. docs/operate.md, "History on Citus".',
  messages_late: 'Look at the contacts: the state of deliveries has the receiver’s answer.',
  roll_up_late: 'Look at the log of the controllers: a job or the database is slow.',
  requests_overdue: 'Look at the Locations: an agent is away, or has more to do than it can.',
  items_refused: 'Look at the log of the controllers, and at ./vantage quarantine.',
};

/** A state that an operator has to see to. `fault`: something stops, or stops at the next start. */
export interface Finding {
  readonly id: FindingId;
  readonly severity: 'warning' | 'fault';
  /** One clause for people, without a full stop. */
  readonly text: string;
  readonly remedy: string;
  /** The alert that it raises; undefined: none. */
  readonly alert: Problem | undefined;
}

/** The finding that the database went back lasts a week, its alert an hour. */
const backMs = 7 * dayMs;
const backAlertMs = hourMs;
/** Whoever replaces two files one after the other needs a moment. */
const refusedAlertMs = 10 * 60_000;
/** A message is tried again for a while when its receiver fails; later it is worth a look. */
const lateMessageMs = 15 * 60_000;
/** An hour is rolled up when it and its late results are over. */
const lateRollUpMs = 3 * hourMs;

/** THE list of findings: the doctor, `/readyz`, the page, the log and the alerts say these. Pure. */
export function findingsOf(facts: Facts): readonly Finding[] {
  const { clocks, disk, stored } = facts;
  const clock = clocks.problem ?? clocks.alarm?.reason;
  return [
    clock !== undefined &&
      finding('clock_wrong', `a clock may be wrong: ${clock}`, {
        alert: clocks.alarm && { kind: 'clock.wrong', ...clocks.alarm },
      }),
    disk.problem !== undefined &&
      finding('disk_low', disk.problem, { alert: { kind: 'disk.low', reason: disk.problem } }),
    ...ofCertificates(facts),
    ...ofDatabase(facts),
    ...ofKeyFile(facts.keyFile),
    ...(stored === undefined ? [] : ofStored(stored, facts)),
  ].filter((found) => found !== false);
}

function finding(
  id: FindingId,
  text: string,
  { severity = 'warning', alert }: Partial<Pick<Finding, 'severity' | 'alert'>> = {},
): Finding {
  return { id, severity, text, remedy: remedies[id], alert };
}

function ofCertificates({
  certificates: { problem, apiEndUs, refusedSinceUs },
  nowUs,
}: Facts): readonly Finding[] {
  const kind = 'certificate.failing';
  const text = `the files of VANTAGE_TLS_CERT and VANTAGE_TLS_KEY cannot be used: the certificate before them stays in use, until ${minuteOf(apiEndUs)}, and no controller can start with these files`;
  const isOld = refusedSinceUs !== undefined && nowUs - refusedSinceUs >= refusedAlertMs * 1000;
  return [
    problem !== undefined && finding('certificate_ending', problem, { alert: { kind, reason: problem } }),
    refusedSinceUs !== undefined &&
      finding('certificate_refused', text, {
        severity: 'fault',
        alert: isOld ? { kind, reason: text } : undefined,
      }),
  ].filter((found) => found !== false);
}

function ofDatabase({ continuity: { wentBack }, isMoved, nowUs }: Facts): readonly Finding[] {
  const findings: Finding[] = [];
  if (wentBack !== undefined && nowUs - wentBack.seenUs < backMs * 1000) {
    const { fromUs, toUs, seenUs } = wentBack;
    // The database has nothing of the time after `toUs`, up to the last mark that a controller wrote.
    const span = `from ${toUs === null ? 'an unknown time' : minuteOf(toUs)} to ${minuteOf(fromUs)}`;
    const text = `the database went back: what was stored ${span} is lost, besides what agents send again`;
    const isNew = nowUs - seenUs < backAlertMs * 1000;
    findings.push(
      finding('database_back', text, { alert: isNew ? { kind: 'database.back', reason: text } : undefined }),
    );
  }
  if (isMoved)
    findings.push(
      finding(
        'database_moved',
        'the database of the settings was copied to another one, which is used: VANTAGE_DATABASE_URL names the old one',
      ),
    );
  return findings;
}

function ofKeyFile(state: KeyFileState): readonly Finding[] {
  const says = (id: FindingId, text: string) => [
    finding(id, text, { severity: 'fault', alert: { kind: 'key.missing', reason: text } }),
  ];
  const effect = 'no controller can start, and no backup can be made';
  switch (state) {
    case 'good':
      return [];
    case 'missing':
      return says('key_missing', `the key file is missing: ${effect}`);
    case 'unreadable':
      return says('key_missing', `the key file cannot be read or holds no key: ${effect}`);
    case 'other':
      return says(
        'key_other',
        'the key file does not hold the key that sealed this database: no controller can start',
      );
  }
}

function ofStored(stored: StoredFacts, { nowUs, backupMaxDays }: Facts): readonly Finding[] {
  const { backups, ageS, isContactFailing, workersAway, jobs } = stored;
  return [
    ...ofBackups(backups, ageS, backupMaxDays),
    isContactFailing &&
      finding('contact_failing', 'a contact cannot be reached, and messages to it wait', {
        severity: 'fault',
      }),
    ...workersAway.map((worker) =>
      finding(
        'worker_away',
        `the worker ${worker} of the history does not answer: results wait at the agents, and lists have no last result of its devices`,
      ),
    ),
    ...(jobs === undefined ? [] : ofJobs(jobs, nowUs)),
  ].filter((found) => found !== false);
}

function ofJobs(jobs: JobFacts, nowUs: number): readonly Finding[] {
  const ageMs = (us: number | null) => (us === null ? 0 : (nowUs - us) / 1000);
  const [waitsMs, rolledMs] = [ageMs(jobs.oldest_notification_us), ageMs(jobs.rolled_to_us)];
  return [
    waitsMs > lateMessageMs &&
      finding('messages_late', `a message has waited for ${things(waitsMs / 60_000, 'minute')}`),
    rolledMs > lateRollUpMs &&
      finding('roll_up_late', `no hour was rolled up for ${things(rolledMs / hourMs, 'hour')}`),
    jobs.overdue_requests > 0 &&
      finding(
        'requests_overdue',
        `${things(jobs.overdue_requests, 'check')} that somebody asked for did not run`,
      ),
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
function ofBackups({ made, verified }: BackupAges, ageS: number, maxDays: number): readonly Finding[] {
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

function minuteOf(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');
}
