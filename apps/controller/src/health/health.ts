import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../db/index.ts';
import { type Pace, trueTime } from '../pace.ts';
import { allOrEach, devicesInMaintenance, locationNumbers } from './all-or-each.ts';
import { sweepChains } from './chain-sweep.ts';
import { foldBatch } from './fold-batch.ts';
import type { InsertedCheck } from './fold-store.ts';
import { endMaintenance } from './maintenance.ts';
import { noticeBlindness, noticeSight } from './observe.ts';
import { createTimes } from './times.ts';

/** The step from results to status, and the loops that go with it. */
export interface Health {
  /** Called by ingest inside its transaction, after the rows are in and the devices' locks are held. */
  fold(trx: Transaction<Tables>, inserted: readonly InsertedCheck[], nowUs: number): Promise<void>;
  /** Called when an agent of the Location connected or sees again: it observes at once. */
  observeNow(db: Kysely<Tables>, locationNo: number): Promise<void>;
  /** Chains' deadlines, ends of maintenance, blind Locations; until the signal aborts. Any number of controllers may run it. */
  run(db: Kysely<Tables>, signal: AbortSignal): Promise<void>;
}

const everyMs = 1_000;

/** Makes the step. */
export function createHealth({
  clock,
  log,
  pace = trueTime,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly pace?: Pace;
}): Health {
  const times = createTimes(pace);
  const tellSight = (changes: readonly { name: string; devices: number }[], text: string) => {
    for (const { name, devices } of changes) log.warn({ location: name, devices }, text);
  };
  const parts = createJobParts({
    log,
    failed: 'a job of health failed; trying again',
    recovered: 'a job of health works again',
  });
  const jobs: Record<string, (db: Kysely<Tables>, job: string) => Promise<unknown>> = {
    'chain deadlines': (db, job) => sweepChains(db, clock.nowUs(), times, { job, log }),
    'ends of maintenance': (db, job) => {
      const nowUs = clock.nowUs();
      const end = async (deviceNo?: number) => [await endMaintenance(db, nowUs, deviceNo)];
      const items = () => devicesInMaintenance(db, nowUs);
      return allOrEach(db, { all: end, items, one: end }, { job, item: 'device', nowUs, log });
    },
    'Locations that see': async (db, job) => {
      const nowUs = clock.nowUs();
      const notice = (locationNo?: number) => noticeSight(db, nowUs, locationNo);
      const work = { all: notice, items: () => locationNumbers(db), one: notice };
      tellSight(await allOrEach(db, work, { job, item: 'Location', nowUs, log }), 'a Location observes');
    },
    'blind Locations': async (db, job) => {
      const nowUs = clock.nowUs();
      const notice = (locationNo?: number) => noticeBlindness(db, nowUs, times, locationNo);
      const work = { all: notice, items: () => locationNumbers(db), one: notice };
      tellSight(await allOrEach(db, work, { job, item: 'Location', nowUs, log }), 'a Location is blind');
    },
  };

  return {
    fold: (trx, inserted, nowUs) => foldBatch(trx, inserted, nowUs, { times, log }),
    async observeNow(db, locationNo) {
      tellSight(await noticeSight(db, clock.nowUs(), locationNo), 'a Location observes');
    },
    async run(db, signal) {
      while (!signal.aborted) {
        for (const [name, job] of Object.entries(jobs)) await parts.attempt(name, () => job(db, name));
        await clock.sleep(pace(everyMs, 100), signal).catch(() => {});
      }
    },
  };
}

/**
 * Drops sure points older than `beforeUs` (the age at which checks are dropped), but each device's newest: nothing older
 * is ever folded again.
 */
export async function trimSurePoints(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`
    delete from fold_points p where p.start_us < ${beforeUs}::bigint
      and exists (
        select 1 from fold_points n where n.device_no = p.device_no and n.start_us > p.start_us
          and n.start_us < ${beforeUs}::bigint)`.execute(db);
}
