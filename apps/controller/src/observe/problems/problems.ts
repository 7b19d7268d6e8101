import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';
import { oldBackup } from './old-backup.ts';
import type { Problem } from './problem.ts';
import { readBackupAges, storeProblems } from './store.ts';

/** Alerts begin and end within a minute: this, and a look of the step alerts. */
const everyMs = 15_000;

/**
 * The problems of the installation that a controller sees, stored for the step alerts: `read` returns those that it
 * knows itself, the age of the backups comes from the database.
 */
export function createProblems(deps: {
  readonly kysely: Kysely<Tables>;
  readonly controllerId: string;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly log: Logger;
  /** A backup may be so old; 0: any age is good. */
  readonly backupMaxDays: number;
  readonly read: () => readonly Problem[];
}): { run(signal: AbortSignal): Promise<void> } {
  const { kysely, controllerId, clock, log } = deps;
  const parts = createJobParts({
    log,
    failed: 'problems of this installation cannot be stored',
    recovered: 'problems of this installation are stored again',
  });
  const store = async () => {
    const reason = oldBackup(await readBackupAges(kysely), deps.backupMaxDays);
    const old: readonly Problem[] = reason === undefined ? [] : [{ kind: 'backup.old', reason }];
    await storeProblems(kysely, controllerId, [...deps.read(), ...old]);
  };
  return {
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('problems', store);
        await clock.sleep(everyMs, signal).catch(() => {});
      }
    },
  };
}
