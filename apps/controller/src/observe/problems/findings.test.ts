import { dayMs } from '@vantage/domain/units';
import { expect, test } from 'vitest';
import type { JobFacts } from '../metrics/job-store.ts';
import { type ControllerFacts, findingsOf } from './findings.ts';

const nowUs = Date.parse('2026-11-29T12:00:00Z') * 1000;
const minuteUs = 60_000_000;
const dayUs = dayMs * 1000;
const dayS = 86_400;

const idleJobs: JobFacts = {
  rolled_to_us: null,
  dirty_hours: 0,
  refused_items: 0,
  quarantined: 0,
  notifications: 0,
  oldest_notification_us: null,
  overdue_requests: 0,
  last_backup_us: null,
  verified_backup_us: null,
};
const goodStored: NonNullable<ControllerFacts['stored']> = {
  backups: { made: 1, verified: 1 },
  ageS: 100 * dayS,
  isContactFailing: false,
  workersAway: [],
  sums: { repaired: 0, damaged: 0 },
  areTablesOnWorkers: false,
  jobs: idleJobs,
};
const good: ControllerFacts = {
  nowUs,
  clocks: { problem: undefined, alarm: undefined },
  disk: { problem: undefined },
  certificates: { problem: undefined, apiEndUs: nowUs + 30 * dayUs, refusedSinceUs: undefined },
  continuity: { wentBack: undefined },
  isMoved: false,
  keyFile: 'good',
  backupMaxDays: 2,
  stored: goodStored,
};
const refused = (forUs: number): Partial<ControllerFacts> => ({
  certificates: { ...good.certificates, refusedSinceUs: nowUs - forUs },
});
const back = (agoUs: number): Partial<ControllerFacts> => ({
  continuity: {
    wentBack: { fromUs: nowUs - agoUs - minuteUs, toUs: nowUs - agoUs - 6 * minuteUs, seenUs: nowUs - agoUs },
  },
});
const stored = (more: Partial<typeof goodStored>): Partial<ControllerFacts> => ({
  stored: { ...goodStored, ...more },
});
const backups = (made: number | null, verified: number | null, ageS = 100 * dayS) =>
  stored({ backups: { made, verified }, ageS });
const jobs = (more: Partial<JobFacts>) => stored({ jobs: { ...idleJobs, ...more } });

test.each<[string, Partial<ControllerFacts>, string | undefined, string?]>([
  ['nothing is wrong', {}, undefined],
  [
    'sums were computed again',
    stored({ sums: { repaired: 2, damaged: 0 } }),
    'warning sums_repaired: the sums of 2 days of devices differed from their checks, and were computed again',
  ],
  [
    'checks are damaged',
    stored({ sums: { repaired: 0, damaged: 1 } }),
    'warning checks_damaged: the checks of 1 day of devices are damaged or missing; their sums are kept',
  ],
  [
    'a clock is wrong',
    { clocks: { problem: 'ahead', alarm: { reason: 'ahead', accountNos: [7] } } },
    'warning clock_wrong: a clock may be wrong: ahead',
    'clock.wrong',
  ],
  [
    'a clock may be wrong',
    { clocks: { problem: 'off for long', alarm: undefined } },
    'warning clock_wrong: a clock may be wrong: off for long',
  ],
  [
    'the disk is nearly full',
    { disk: { problem: 'the disk is nearly full' } },
    'warning disk_low: the disk is nearly full',
    'disk.low',
  ],
  [
    'the certificate ends',
    { certificates: { ...good.certificates, problem: 'it ends' } },
    'warning certificate_ending: it ends',
    'certificate.failing',
  ],
  [
    'new files were refused a moment ago',
    refused(minuteUs),
    'fault certificate_refused: the files of VANTAGE_TLS_CERT and VANTAGE_TLS_KEY cannot be used: the certificate before them stays in use, until 2026-12-29 12:00 UTC, and no controller can start with these files',
  ],
  [
    'new files are refused for long',
    refused(10 * minuteUs),
    'fault certificate_refused: the files',
    'certificate.failing',
  ],
  [
    'the database went back',
    back(0),
    'warning database_back: the database went back: what was stored from 2026-11-29 11:54 UTC to 2026-11-29 11:59 UTC is lost, besides what agents send again',
    'database.back',
  ],
  ['the database went back yesterday', back(dayUs), 'warning database_back: '],
  ['the database went back a week ago', back(7 * dayUs), undefined],
  [
    'the database was copied',
    { isMoved: true },
    'warning database_moved: the database of the settings was copied to another one, which is used: VANTAGE_DATABASE_URL names the old one',
  ],
  [
    'the key file is missing',
    { keyFile: 'missing' },
    'fault key_missing: the key file is missing: no controller can start, and no backup can be made',
    'key.missing',
  ],
  ['the key file cannot be read', { keyFile: 'unreadable' }, 'fault key_missing: ', 'key.missing'],
  ['the key file is another one', { keyFile: 'other' }, 'fault key_other: ', 'key.missing'],
  [
    'no backup was ever made here, for a day',
    backups(null, null, dayS),
    'warning backup_none: no backup was ever made',
  ],
  [
    'no backup was ever made here, for three days',
    backups(null, null, 3 * dayS),
    'warning backup_none: no backup was ever made',
    'backup.old',
  ],
  ['a backup is young enough', backups(2 * dayS, null), undefined],
  [
    'a backup is too old',
    backups(2 * dayS + 1, null),
    'warning backup_old: the newest backup is 2 days old',
    'backup.old',
  ],
  [
    'a young backup is not verified',
    backups(1, 3 * dayS),
    'warning backup_old: the newest backup that was verified is 3 days old',
    'backup.old',
  ],
  ['nobody wants to know of backups', { ...backups(900 * dayS, null), backupMaxDays: 0 }, undefined],
  ['nobody wants to know that there is none', { ...backups(null, null), backupMaxDays: 0 }, undefined],
  [
    'the limit of a backup is a day',
    { ...backups(1.5 * dayS, null), backupMaxDays: 1 },
    'warning backup_old: the newest backup is 1 day old',
    'backup.old',
  ],
  [
    'a contact fails',
    stored({ isContactFailing: true }),
    'fault contact_failing: a contact cannot be reached, and messages to it wait',
  ],
  [
    'a worker is away',
    stored({ workersAway: ['db-1:5432'] }),
    'warning worker_away: the worker db-1:5432 of the history does not answer',
  ],
  [
    'version 0.3.0 placed tables on workers',
    stored({ areTablesOnWorkers: true }),
    'fault tables_on_workers: checks and roll-ups are on the workers',
  ],
  [
    'a message waits',
    jobs({ oldest_notification_us: nowUs - 20 * minuteUs }),
    'warning messages_late: a message has waited for 20 minutes',
  ],
  [
    'roll-ups are late',
    jobs({ rolled_to_us: nowUs - 300 * minuteUs }),
    'warning roll_up_late: no hour was rolled up for 5 hours',
  ],
  [
    'a check was not run',
    jobs({ overdue_requests: 1 }),
    'warning requests_overdue: 1 requested check did not run',
  ],
  [
    'a value was refused',
    jobs({ refused_items: 2 }),
    'warning items_refused: a background job cannot process 2 values',
  ],
  ['the database never answered', { stored: undefined }, undefined],
])('%s', (_what, facts, line, kind) => {
  const found = findingsOf({ ...good, ...facts });
  expect(found).toHaveLength(line === undefined ? 0 : 1);
  for (const { id, severity, text, remedy, alert } of found) {
    expect(`${severity} ${id}: ${text}`).toContain(line);
    expect(alert?.kind).toBe(kind);
    expect(remedy).toMatch(/\.$/);
  }
});
