import type { FindingId } from '@vantage/domain';

/** Kinds of alerts about the installation itself; each account is notified. */
type ProblemKind =
  | 'clock.wrong'
  | 'disk.low'
  | 'backup.old'
  | 'database.back'
  | 'certificate.failing'
  | 'key.missing';

/** The alert that a finding raises. */
export interface InstallationProblem {
  readonly kind: ProblemKind;
  /** One sentence for people. */
  readonly reason: string;
  /** Only these accounts are notified; undefined: all. */
  readonly accountNos?: readonly number[] | undefined;
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
    'Run "./vantage backup FILE --verify" on the host of the controller, and let a timer repeat it each night. Set VANTAGE_BACKUP_MAX_DAYS=0 if you back up by other means.',
  backup_old: 'Find out why the timer made no backup since, then run "./vantage backup FILE --verify".',
  contact_failing:
    'GET /contacts and the page show its last answer. Correct its Address, then send a test: what waits leaves at once.',
  worker_away: 'Look at that server. docs/operate.md, "History on Citus".',
  tables_on_workers:
    'Run "./vantage database distribute --yes", which moves them back. docs/operate.md, "History on Citus".',
  messages_late: 'Look at the contacts: the state of deliveries has the receiver’s answer.',
  roll_up_late: 'Look at the log of the controllers: a job or the database is slow.',
  requests_overdue: 'Look at the Locations: an agent is offline or overloaded.',
  items_refused: 'Look at the log of the controllers, and at ./vantage quarantine.',
  sums_repaired:
    'Nothing, if it happens once. Otherwise look at the log, which has both sums of each, and compare all with "./vantage doctor --sums all".',
  checks_damaged:
    'Check the disk of the database. Restore these rows of packed_checks from a backup, or delete them. docs/operate.md, "Sums and their checks".',
};

/** A state that needs an operator. `fault`: something stops, or stops at the next start. */
export interface InstallationFinding {
  readonly id: FindingId;
  readonly severity: 'warning' | 'fault';
  /** One clause for people, without a full stop. */
  readonly text: string;
  readonly remedy: string;
  /** The alert that it raises; undefined: none. */
  readonly alert: InstallationProblem | undefined;
}

export function finding(
  id: FindingId,
  text: string,
  { severity = 'warning', alert }: Partial<Pick<InstallationFinding, 'severity' | 'alert'>> = {},
): InstallationFinding {
  return { id, severity, text, remedy: remedies[id], alert };
}
