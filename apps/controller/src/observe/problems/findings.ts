import type { FindingId } from '@vantage/domain';
import { dayMs, hourMs } from '@vantage/domain/units';
import type { LostSpan } from '@vantage/storage/continuity';
import type { KeyFileState } from '@vantage/storage/secrets/open-sealer';
import { finding, type InstallationFinding, type InstallationProblem } from './installation-finding.ts';
import type { StoredFacts } from './stored-facts.ts';
import { ofStored } from './stored-findings.ts';

/** The facts of one controller. */
export interface ControllerFacts {
  readonly nowUs: number;
  readonly clocks: {
    readonly problem: string | undefined;
    readonly alarm: Pick<InstallationProblem, 'reason' | 'accountNos'> | undefined;
  };
  readonly disk: { readonly problem: string | undefined };
  readonly certificates: {
    /** The fault of the certificate in use, for people. */
    readonly problem: string | undefined;
    readonly apiEndUs: number;
    /** The new files could not be used since then; undefined: they could. */
    readonly refusedSinceUs: number | undefined;
  };
  readonly continuity: { readonly wentBack: LostSpan | undefined };
  /** The database of the settings was copied to the one that is used. */
  readonly isMoved: boolean;
  readonly keyFile: KeyFileState;
  /** VANTAGE_BACKUP_MAX_DAYS; 0: the age of backups is not checked. */
  readonly backupMaxDays: number;
  /** Facts from the database; undefined: it never answered. */
  readonly stored: StoredFacts | undefined;
}

/** The finding `database_back` lasts a week, its alert an hour. */
const backMs = 7 * dayMs;
const backAlertMs = hourMs;
/** An operator who replaces two files one after the other needs some time. */
const refusedAlertMs = 10 * 60_000;

/** THE list of findings: the doctor, `/readyz`, the page, the log and the alerts use it. Pure. */
export function findingsOf(facts: ControllerFacts): readonly InstallationFinding[] {
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

function ofCertificates({
  certificates: { problem, apiEndUs, refusedSinceUs },
  nowUs,
}: ControllerFacts): readonly InstallationFinding[] {
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

function ofDatabase({
  continuity: { wentBack },
  isMoved,
  nowUs,
}: ControllerFacts): readonly InstallationFinding[] {
  const findings: InstallationFinding[] = [];
  if (wentBack !== undefined && nowUs - wentBack.seenUs < backMs * 1000) {
    const { fromUs, toUs, seenUs } = wentBack;
    // The database has nothing of the time after `toUs`, up to the last time that a controller recorded.
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

function ofKeyFile(state: KeyFileState): readonly InstallationFinding[] {
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

function minuteOf(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');
}
