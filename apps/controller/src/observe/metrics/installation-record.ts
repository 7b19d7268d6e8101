import { findingIds } from '@vantage/domain';
import { timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { z } from 'zod';
import type { JobFacts } from './job-store.ts';

const bytes = z.int().describe('Bytes.').meta({ example: 52_428_800_000 });
const at = { example: '2026-02-25T23:38:03+01:00' };
const moment = timestampField.nullable().meta(at);
const count = z.int().meta({ example: 0 });

export const installationFull = z
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
          .describe('The maximum age of a backup, days; 0: the age is not checked; null: not known here.')
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

export function showJobs(jobs: JobFacts | undefined, zone: Zone, maxDays: number | null) {
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
