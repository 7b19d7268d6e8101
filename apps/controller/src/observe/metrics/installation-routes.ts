import { findingIds } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { timestampField } from '../../rest/http/field.ts';
import { noSubject, type Route, route } from '../../rest/http/route.ts';
import type { Zone } from '../../rest/http/zone.ts';
import type { Finding } from '../findings/findings.ts';
import { isOperators, type JobFacts, readJobs } from './process-store.ts';

/** Facts that only this controller knows. */
export interface OwnFacts {
  /** The room on the disk of its data, bytes. */
  readonly disk: { readonly freeBytes: number; readonly totalBytes: number } | undefined;
  /** When the certificate of the REST port ends, microseconds since 1970. */
  readonly certificateEndUs: number;
  /** A backup may be so old; 0: any age is good. */
  readonly backupMaxDays: number;
}

const bytes = z.int().describe('Bytes.').meta({ example: 52_428_800_000 });
const at = { example: '2026-02-25T23:38:03+01:00' };
const moment = timestampField.nullable().meta(at);
const count = z.int().meta({ example: 0 });

const installationFull = z
  .strictObject({
    Version: z.string().describe('Version of the controller that answers.').meta({ example: '0.3.0' }),
    Warnings: z
      .array(z.string())
      .describe('The texts of `Findings`; []: nothing.')
      .meta({ example: ['a clock may be wrong: it is 3 s ahead of the database'] }),
    Findings: z
      .array(
        z
          .strictObject({
            Id: z
              .enum(findingIds)
              .describe('Names the finding for programs.')
              .meta({ example: 'clock_wrong' }),
            Severity: z
              .enum(['warning', 'fault'])
              .describe('`fault`: something stops, or stops at the next start.')
              .meta({ example: 'warning' }),
            Text: z
              .string()
              .describe('One clause for people.')
              .meta({ example: 'a clock may be wrong: it is 3 s ahead of the database' }),
            Remedy: z
              .string()
              .describe('The action that ends it, for people.')
              .meta({ example: 'Correct the clock that is named.' }),
          })
          .meta({ id: 'Finding', description: 'A state that an operator has to see to.' }),
      )
      .describe(
        'The states that an operator has to see to, at this controller and in the installation, as `/readyz` and `./vantage doctor` say them; []: none.',
      ),
    Controllers: z
      .array(
        z.strictObject({
          StartedAt: timestampField.describe('When it was started.').meta(at),
          LastSeen: timestampField.describe('Written each few seconds while it runs.').meta(at),
        }),
      )
      .describe('The controllers that ran in the last minutes, the oldest first.')
      .meta({ example: [{ StartedAt: at.example, LastSeen: at.example }] }),
    Backup: z
      .strictObject({
        Made: moment.describe('When the newest backup was made; null: none was.'),
        Verified: moment.describe('When the newest one that was verified was made; null: none was.'),
        MaxDays: z
          .int()
          .nullable()
          .describe('A backup may be so old; 0: any age is good; null: not known here.')
          .meta({ example: 2 }),
      })
      .meta({ id: 'InstallationBackup', description: 'The age of the backups.' }),
    Disk: z.strictObject({ Free: bytes, Total: bytes }).nullable().meta({
      id: 'InstallationDisk',
      description: 'The disk of the data; null: not known, or not for this account.',
    }),
    DatabaseBytes: z
      .int()
      .nullable()
      .describe('Size of the database; null: not for this account.')
      .meta({ example: 1_073_741_824 }),
    CertificateEnd: moment.describe('When the certificate of the REST port ends; null: not known.'),
    Queues: z
      .strictObject({
        NotificationsPending: count.describe('Messages that are neither delivered nor given up.'),
        OldestNotification: moment.describe('When the oldest of them was stored; null: there is none.'),
        RolledUpTo: moment.describe('Hours before this are rolled up; null: none yet.'),
        HoursToRollUp: count.describe('Hours that wait to be rolled up again.'),
        OverdueRunRequests: count.describe('Run requests that are open past their deadline.'),
        QuarantinedLastDay: count.describe('Records of agents that were quarantined in the last day.'),
        RefusedItems: count.describe('Values that a job could not process.'),
      })
      .meta({ id: 'InstallationQueues', description: 'What waits.' }),
  })
  .meta({ id: 'Installation', description: 'The health of Vantage itself.' });

/** The health of Vantage itself, for admins. */
export function installationRoutes({
  db,
  clock,
  version,
  findings,
  ownFacts,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly version: string;
  readonly findings: () => Promise<readonly Finding[]>;
  readonly ownFacts: () => OwnFacts | undefined;
}): Route[] {
  return [
    route({
      method: 'GET',
      path: '/installation',
      level: 'UA',
      tag: 'Service',
      summary: 'The health of Vantage itself: findings, controllers, backups, disk, queues.',
      description:
        'The account that the installation had first is the operator’s: it sees the sizes, and the queues of all accounts. Others see the queues of their own.',
      subject: noSubject,
      response: installationFull,
      names: { root: 'installation' },
      handler: async ({ session: { accountNo, zone } }) => {
        const nowUs = clock.nowUs();
        const seesAll = await isOperators(db, accountNo);
        const [jobs, stored, found] = await Promise.all([
          readJobs(db, nowUs, seesAll ? undefined : accountNo),
          readStored(db, nowUs),
          findings(),
        ]);
        const own = ownFacts();
        const disk = seesAll ? own?.disk : undefined;
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
          CertificateEnd: own === undefined ? null : zone.format(own.certificateEndUs),
          ...showJobs(jobs, zone, own?.backupMaxDays ?? null),
        };
        return { body };
      },
    }),
  ];
}

function showJobs(jobs: JobFacts | undefined, zone: Zone, maxDays: number | null) {
  const at = (us: number | null | undefined) => (us == null ? null : zone.format(us));
  return {
    Backup: { Made: at(jobs?.last_backup_us), Verified: at(jobs?.verified_backup_us), MaxDays: maxDays },
    Queues: {
      NotificationsPending: jobs?.notifications ?? 0,
      OldestNotification: at(jobs?.oldest_notification_us),
      RolledUpTo: at(jobs?.rolled_to_us),
      HoursToRollUp: jobs?.dirty_hours ?? 0,
      OverdueRunRequests: jobs?.overdue_requests ?? 0,
      QuarantinedLastDay: jobs?.quarantined ?? 0,
      RefusedItems: jobs?.refused_items ?? 0,
    },
  };
}

/** A controller that was not seen for so long has ended. */
const goneUs = 300_000_000;
const mostControllers = 100;

async function readStored({ kysely }: Pick<Db, 'kysely'>, nowUs: number) {
  const [controllers, size] = await Promise.all([
    kysely
      .selectFrom('controllers')
      .select(['started_us', 'last_seen_us'])
      .where('last_seen_us', '>', nowUs - goneUs)
      .orderBy('started_us')
      .limit(mostControllers)
      .execute(),
    sql<{ readonly bytes: number }>`select pg_database_size(current_database())::float8 as bytes`.execute(
      kysely,
    ),
  ]);
  return { controllers, bytes: size.rows[0]?.bytes ?? 0 };
}
