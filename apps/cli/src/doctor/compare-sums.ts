import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import { messageOf } from '@vantage/kernel';
import { startAdmin } from '../admin-process.ts';
import { runningDatabase } from '../running-database.ts';
import type { ControllerFinding } from './controller-finding.ts';
import { databaseInUse } from './examine-own-database.ts';

/** The sums that the doctor compares with their checks. */
export type WhichSums = 'some' | 'all' | 'none';

/** The bounds without `--sums all`. */
const sample = { days: 200, within_ms: 10_000 } as const;
/** A database that needs longer hangs. */
const maxWaitMs = 30_000;

const step = 'sums';

/**
 * Compares the sums of random days, or of all days, with their checks, and has those that differ computed again.
 * Returns nothing when no database runs, because other steps report that. Never rejects.
 */
export async function compareSums({
  folder,
  settings,
  which,
  isRunning,
}: {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly which: WhichSums;
  /** A system runs on the folder, with its embedded database if it has one. */
  readonly isRunning: boolean;
}): Promise<readonly ControllerFinding[]> {
  if (which === 'none') return [];
  const { url = 'embedded' } = databaseInUse(folder, settings);
  if (url !== 'embedded') return compare(url, which);
  return isRunning ? compare(runningDatabase(folder), which) : [];
}

async function compare(url: string, which: 'some' | 'all'): Promise<readonly ControllerFinding[]> {
  const limit = which === 'all' ? undefined : AbortSignal.timeout(maxWaitMs);
  await using started = startAdmin(url, limit);
  try {
    return judgeSums(await started.admin('database.compare-sums', which === 'all' ? {} : sample));
  } catch (error) {
    const reason = limit?.aborted ? `no answer within ${maxWaitMs / 1000} s` : messageOf(error);
    const remedy = 'Look at the database first, then run the doctor again.';
    return [{ level: 'warning', step, text: `they cannot be compared with their checks: ${reason}`, remedy }];
  }
}

/** The findings of a comparison. Pure. */
export function judgeSums(answer: OperatorAnswers['database.compare-sums']): readonly ControllerFinding[] {
  const { hours, days, packed_days: packed, repaired, damaged, failed, faults } = answer;
  const compared = `${hours} hours and ${daysOf(days)} of devices (${packed} packed) were compared with their checks`;
  if (repaired + damaged + failed === 0) return [{ level: 'ok', step, text: compared }];
  const found = [
    repaired > 0 && `${daysOf(repaired)} differed and were computed again`,
    damaged > 0 && `${daysOf(damaged)} with damaged or missing checks keep their sums`,
    failed > 0 && `${daysOf(failed)} could not be compared`,
  ].filter((part) => part !== false);
  const remedy =
    damaged > 0
      ? 'Check the disk of the database. Restore these rows of packed_checks from a backup, or delete them: docs/operate.md, "Sums and their checks".'
      : 'Run "./vantage doctor --sums all" to compare all of them.';
  return [{ level: 'warning', step, text: `${compared}; ${found.join('; ')}: ${faults.join('; ')}`, remedy }];
}

function daysOf(count: number): string {
  return count === 1 ? '1 day' : `${count} days`;
}
