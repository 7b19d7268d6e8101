import type { Clock } from '@vantage/kernel';
import type { Route } from '@vantage/rest-kit/route';
import { noSubject, route } from '@vantage/rest-kit/route-factories';
import type { Db } from '@vantage/storage';
import type { InstallationFinding } from '../problems/installation-finding.ts';
import { installationFull, showJobs } from './installation-record.ts';
import { readStored } from './installation-store.ts';
import { readJobs } from './job-store.ts';

/** Facts that only this controller knows. */
export interface ControllerState {
  /** The free and total space on the disk of its data, bytes. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
  /** When the certificate of the REST port ends, microseconds since 1970. */
  readonly certificateEndUs: number;
  /** The maximum age of a backup, days; 0: the age is not checked. */
  readonly backupMaxDays: number;
}

/** The health of Vantage itself, for admins. */
export function installationRoutes({
  clock,
  version,
  findings,
  ownFacts,
  isOperators,
}: {
  readonly clock: Clock;
  readonly version: string;
  readonly findings: () => Promise<readonly InstallationFinding[]>;
  readonly ownFacts: () => ControllerState | undefined;
  /** Whether an account is the operator's, the first one of the installation. */
  readonly isOperators: (db: Pick<Db, 'kysely'>, accountNo: number) => Promise<boolean>;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/installation',
      level: 'UA',
      tag: 'Service',
      summary: 'The health of Vantage itself: findings, controllers, backups, disk, queues.',
      description:
        'The account that the installation had first is the operator’s: it sees the sizes, and the queues of all accounts. Others see the queues of their facts.',
      subject: noSubject,
      limitedCallers: 'refused',
      response: installationFull,
      names: { root: 'installation' },
      handler: async ({ db, session: { accountNo, zone } }) => {
        const nowUs = clock.nowUs();
        const seesAll = await isOperators(db, accountNo);
        const [jobs, stored, found] = await Promise.all([
          readJobs(db, nowUs, seesAll ? undefined : accountNo),
          readStored(db, nowUs),
          findings(),
        ]);
        const facts = ownFacts();
        const disk = seesAll ? facts?.disk : undefined;
        const body = {
          Version: version,
          Warnings: found.map(({ text }) => text),
          Findings: found.map(({ id, severity, text, remedy }) => ({
            Id: id,
            Severity: severity,
            Text: text,
            Remedy: remedy,
          })),
          Controllers: stored.controllers.map(({ started_us, last_seen_us }) => ({
            StartedAt: zone.format(started_us),
            LastSeen: zone.format(last_seen_us),
          })),
          Disk: disk === undefined ? null : { Free: disk.freeBytes, Total: disk.totalBytes },
          DatabaseBytes: seesAll ? stored.bytes : null,
          CertificateEnd: facts === undefined ? null : zone.format(facts.certificateEndUs),
          ...showJobs(jobs, zone, facts?.backupMaxDays ?? null),
        };
        return { body };
      },
    }),
  ];
}
