import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql, type Transaction } from 'kysely';
import { realTime, shortestRoundMs, type TimeScale } from '../../config/time-scale.ts';
import type { RecordEvents } from '../events/record-events.ts';
import { createAccountDays } from './account-days.ts';
import { allOrEach } from './all-or-each.ts';
import { type AnchorAlerts, reviewAnchors } from './anchor-review.ts';
import { foldBatch } from './fold-batch.ts';
import type { DeviceCache, InsertedCheck } from './fold-store.ts';
import {
  devicesEnteringMaintenance,
  devicesInMaintenance,
  locationNumbers,
  scheduledDevices,
} from './health-items.ts';
import { beginMaintenance, endMaintenance } from './maintenance-status.ts';
import type { RetryRunRequests } from './retry-requests.ts';
import { sweepRetries } from './retry-sweep.ts';
import { refreshScheduledWindows } from './scheduled-windows.ts';
import { createTimes } from './times.ts';
import {
  type LocationVisibility,
  setOffline,
  updateVisibility,
  type VisibilityChange,
} from './visibility.ts';

/** The step that folds results to status, and its jobs. */
export interface Health {
  /** Called by ingest inside its transaction, after the rows are in and the devices' locks are held. */
  fold(trx: Transaction<Tables>, inserted: readonly InsertedCheck[], nowUs: number): Promise<void>;
  /** Called when an agent of the Location connected or runs its checks again. The Location is online at once. */
  updateVisibilityNow(db: Kysely<Tables>, locationNo: number): Promise<void>;
  /**
   * Handles deadlines of retries, begins and ends of maintenance and offline Locations until the signal aborts. Any
   * number of controllers may run it.
   */
  run(db: Kysely<Tables>, signal: AbortSignal): Promise<void>;
  /** Rounds of these jobs that ended without an error. */
  readonly rounds: number;
}

const everyMs = 1_000;

/** Creates the step. */
export function createHealth({
  clock,
  log,
  recordEvents,
  runRequests,
  locations,
  timeScale = realTime,
  opened = () => 0,
}: {
  readonly clock: Clock;
  readonly log: Logger;
  readonly recordEvents: RecordEvents;
  readonly runRequests: RetryRunRequests;
  readonly locations: LocationVisibility & AnchorAlerts;
  readonly timeScale?: TimeScale;
  /**
   * Counts the connections to the database: a new one may lead to a server that took over and lacks the last commits.
   */
  readonly opened?: () => number;
}): Health {
  const times = createTimes(timeScale);
  const logOnline = (changes: readonly VisibilityChange[]) => {
    for (const { locationName: location, devices } of changes)
      log.info({ location, devices }, 'a Location is online');
  };
  const parts = createJobParts({
    log,
    failed: 'a job of health failed; trying again',
    recovered: 'a job of health works again',
  });
  const jobs: Record<string, (db: Kysely<Tables>, job: string) => Promise<unknown>> = {
    'retry deadlines': (db, job) => sweepRetries(db, clock.nowUs(), { times, runRequests }, { job, log }),
    'windows of maintenance schedules': (db, job) => {
      const nowUs = clock.nowUs();
      const refresh = async (deviceNo?: number) => [await refreshScheduledWindows(db, nowUs, deviceNo)];
      const items = () => scheduledDevices(db);
      return allOrEach(db, { all: refresh, items, one: refresh }, { job, item: 'device', nowUs, log });
    },
    'begins of maintenance': (db, job) => {
      const nowUs = clock.nowUs();
      const begin = async (deviceNo?: number) => [
        await beginMaintenance({ kysely: db, recordEvents }, nowUs, deviceNo),
      ];
      const items = () => devicesEnteringMaintenance(db, nowUs);
      return allOrEach(db, { all: begin, items, one: begin }, { job, item: 'device', nowUs, log });
    },
    'ends of maintenance': (db, job) => {
      const nowUs = clock.nowUs();
      const end = async (deviceNo?: number) => [
        await endMaintenance({ kysely: db, recordEvents }, nowUs, deviceNo),
      ];
      const items = () => devicesInMaintenance(db, nowUs);
      return allOrEach(db, { all: end, items, one: end }, { job, item: 'device', nowUs, log });
    },
    'Locations that see': async (db, job) => {
      const nowUs = clock.nowUs();
      const notice = (locationNo?: number) =>
        updateVisibility({ kysely: db, recordEvents, locations }, nowUs, locationNo);
      const work = { all: notice, items: () => locationNumbers(db), one: notice };
      logOnline(await allOrEach(db, work, { job, item: 'Location', nowUs, log }));
    },
    'offline Locations': async (db, job) => {
      const nowUs = clock.nowUs();
      const notice = (locationNo?: number) =>
        setOffline({ kysely: db, recordEvents, locations }, nowUs, times, locationNo);
      const work = { all: notice, items: () => locationNumbers(db), one: notice };
      const changes = await allOrEach(db, work, { job, item: 'Location', nowUs, log });
      for (const { locationName: location, devices } of changes)
        log.warn({ location, devices }, 'a Location is offline');
    },
    anchors: async (db, job) => {
      const nowUs = clock.nowUs();
      const review = (locationNo?: number) =>
        reviewAnchors({ kysely: db, recordEvents, locations }, nowUs, locationNo);
      const work = { all: review, items: () => locationNumbers(db), one: review };
      const notices = await allOrEach(db, work, { job, item: 'Location', nowUs, log });
      for (const { locationName: location, anchorName: anchor, isDown } of notices)
        if (isDown) log.warn({ location, anchor }, 'an anchor does not answer');
        else log.info({ location, anchor }, 'an anchor answers again');
    },
  };

  const cache: DeviceCache = new Map();
  const accountDays = createAccountDays();
  let openedBefore = opened();
  let rounds = 0;
  return {
    get rounds() {
      return rounds;
    },
    fold: (trx, inserted, nowUs) => {
      if (opened() !== openedBefore) cache.clear();
      openedBefore = opened();
      return foldBatch(trx, inserted, nowUs, { times, log, recordEvents, runRequests, cache, accountDays });
    },
    async updateVisibilityNow(db, locationNo) {
      const changes = await updateVisibility(
        { kysely: db, recordEvents, locations },
        clock.nowUs(),
        locationNo,
      );
      logOnline(changes);
    },
    async run(db, signal) {
      while (!signal.aborted) {
        let isGood = true;
        for (const [name, job] of Object.entries(jobs))
          isGood = (await parts.attempt(name, () => job(db, name))) && isGood;
        if (isGood) rounds += 1;
        await clock.sleep(timeScale(everyMs, shortestRoundMs), signal).catch(() => {});
      }
    },
  };
}

/**
 * Drops checkpoints older than `beforeUs` (the age at which checks are dropped). The newest of them stays for each
 * device, because a fold may begin there.
 */
export async function trimCheckpoints(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`
    delete from state_checkpoints p where p.start_us < ${beforeUs}::bigint
      and exists (
        select 1 from state_checkpoints n where n.device_no = p.device_no and n.start_us > p.start_us
          and n.start_us < ${beforeUs}::bigint)`.execute(db);
}
