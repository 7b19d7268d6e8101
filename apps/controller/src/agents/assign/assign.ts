import { type Clock, createWaker, type Logger, messageOf } from '@vantage/kernel';
import { type Database, releaseLeases, takeLeases } from '@vantage/storage';
import { realTime, type TimeScale } from '../../config/time-scale.ts';
import { createPlanRequests } from './plan-requests.ts';
import { createPlanRound, leaseMs, leaseName } from './plan-round.ts';

/** Keeps the plans of all Locations whose lease this controller has. */
export interface Assign {
  /**
   * Runs until the signal aborts. Plans a Location when the catalog notifies it, and whenever its agents or Locations
   * change.
   */
  run(signal: AbortSignal): Promise<void>;
}

const pollMs = 3_000;
/**
 * A notification about another controller's Location stays for one lease period and a second, in case that controller
 * dies before it planned.
 */
const keepRequestMs = leaseMs + 1_000;
const recheckMs = 500;
const pauseMs = 200;
const maxPauseMs = 2_000;
/** After a failed round the pause is as long as after a round that took this long. */
const failedRoundMs = 1_000;

/** Creates the planner. */
export function createAssign({
  db,
  clock,
  log,
  controllerId,
  timeScale = realTime,
}: {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly timeScale?: TimeScale;
}): Assign {
  const { kysely } = db;
  const requests = createPlanRequests({ clock, keepMs: keepRequestMs });
  const round = createPlanRound({ kysely, clock, log, controllerId, timeScale });
  const waker = createWaker(clock);
  let isHealthy = true;

  const hasOwnWork = () => {
    const held = new Set(round.leases.map(({ name }) => name));
    return requests.isForAll || requests.locationNos.some((no) => held.has(leaseName(no)));
  };

  /** Runs one round and logs when planning begins to fail or works again. Returns how long it took, milliseconds. */
  const runRound = async () => {
    const startMs = clock.monoMs();
    try {
      await round.run(requests);
      if (!isHealthy) log.info('planning works again');
      isHealthy = true;
      return clock.monoMs() - startMs;
    } catch (error) {
      if (isHealthy) log.warn({ error: messageOf(error) }, 'planning failed; trying again');
      isHealthy = false;
      return failedRoundMs;
    }
  };

  /** Keeps the leases that the last round took. A failure here shows in the next round. */
  const renewLeases = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      await clock.sleep(leaseMs / 6, signal).catch(() => {});
      const names = round.leases.map(({ name }) => name);
      if (!signal.aborted) await takeLeases(kysely, names, controllerId, leaseMs).catch(() => []);
    }
  };

  return {
    async run(signal) {
      await using _listening = await db.subscribe('catalog', (notice) => {
        requests.add(notice?.location_nos ?? 'all');
        waker.wake();
      });
      const renewing = renewLeases(signal);
      while (!signal.aborted) {
        const tookMs = await runRound();
        // Many changes in a row are planned together: a pause follows each round, a longer one after a long round.
        await clock.sleep(Math.min(maxPauseMs, Math.max(pauseMs, 3 * tookMs)), signal).catch(() => {});
        if (hasOwnWork() || signal.aborted) continue;
        await waker.wait(requests.locationNos.length > 0 ? recheckMs : pollMs, signal);
      }
      await renewing;
      await releaseLeases(kysely, controllerId, 'plan:').catch(() => {});
    },
  };
}
