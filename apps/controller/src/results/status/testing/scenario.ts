import { createLog, newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, type Db } from '@vantage/storage';
import { createTestDatabase } from '@vantage/testing/database';
import { sql } from 'kysely';
import { runRequests } from '../../../agents/run-requests/index.ts';
import { locationVisibility } from '../../../catalog/locations/visibility-store.ts';
import type { RecordEvents } from '../../events/record-events.ts';
import { recordEvents as recordOnly } from '../../events/record-events.ts';
import { createHealth } from '../health.ts';
import { sweepRetries } from '../retry-sweep.ts';
import { trueTimes } from '../times.ts';
import { type ScenarioCheck, takeChecks } from './scenario-checks.ts';
import { scenarioReads } from './scenario-reads.ts';
import { scenarioRows } from './scenario-rows.ts';
import { startUs } from './scenario-time.ts';

export type { ScenarioCheck } from './scenario-checks.ts';
export { second, startUs } from './scenario-time.ts';

/**
 * A migrated database of its own with one account; devices have Retries 2, RetryDelay 1 s, Timeout 10 s. `recorder`
 * makes the writer of events where something follows from them.
 */
export async function createScenario(recorder: (db: Db) => RecordEvents = () => recordOnly) {
  const log = createLog('test', 'silent');
  const database = await createTestDatabase();
  const db = await createDb({ connection: { url: database.url }, log });
  const { kysely } = db;
  const recordEvents = recorder(db);
  const health = createHealth({
    clock: createFakeClock(startUs),
    log,
    recordEvents,
    runRequests,
    locations: locationVisibility,
  });
  await sql`create table checks_all partition of check_rows default`.execute(kysely);
  const { account_no: accountNo } = await kysely
    .insertInto('accounts')
    .values({ account_id: newId(), name: 'scene' })
    .returning('account_no')
    .executeTakeFirstOrThrow();

  return {
    db,
    kysely,
    recordEvents,
    locations: locationVisibility,
    health,
    accountNo,
    ...scenarioRows(kysely, accountNo),
    ...scenarioReads(kysely),
    /** One batch, as ingest does it: locks, rows, fold. */
    take: (checks: readonly ScenarioCheck[]) => takeChecks(kysely, health, checks),
    /** The sweep of retries that nobody answered, at this moment. */
    sweepRetries: (nowUs: number) =>
      sweepRetries(
        kysely,
        nowUs,
        { times: trueTimes, runRequests },
        { job: 'retry sequence deadlines', log },
      ),

    async [Symbol.asyncDispose]() {
      await db.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
