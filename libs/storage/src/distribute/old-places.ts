import type { Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { areHotTablesDistributed } from './history-tables.ts';

/** Logs that version 0.3.0 left tables on workers which belong to the coordinator, and what to do. */
export async function warnOfOldPlaces(kysely: Kysely<Tables>, log: Logger): Promise<void> {
  if (await areHotTablesDistributed(kysely))
    log.warn(
      'tables that belong to the coordinator are on the workers of the Citus cluster, as version 0.3.0 placed them: run "./vantage database distribute --yes". Until then results and statuses are stored, and what reads single checks answers 503',
    );
}
