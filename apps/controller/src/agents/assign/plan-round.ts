import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import type { TimeScale } from '../../platform/config/time-scale.ts';
import { type Db, dbFailure, type Lease, takeLeases } from '../../platform/db/index.ts';
import { eligibleAgents } from './eligible.ts';
import type { PlanAgent } from './plan.ts';
import { type OnlineLocations, onlineByAccount, replanLocation } from './plan-location.ts';
import type { PlanRequests } from './plan-requests.ts';
import * as store from './store.ts';

/**
 * A controller that died is replaced after this; one that lives renews three times as often, however long its planning
 * takes.
 */
export const leaseMs = 3_000;
/** Plans are made again after this long even when nothing seems to have changed. */
const safetyMs = 60_000;
/**
 * How long an agent that is away keeps its devices. A cut line shows after 25 s, and another agent has the devices
 * within 45 s.
 */
const graceMs = 35_000;

/** Plans the Locations whose lease this controller has. */
export interface PlanRound {
  /** The leases that the last round took. */
  readonly leases: readonly Lease[];
  /**
   * Plans every Location that is requested or whose agents or Locations changed. Rejects when the database cannot be
   * reached; the requests stay then.
   */
  run(requests: PlanRequests): Promise<void>;
}

const tracked = declareState({
  name: 'planned_locations',
  entries: { each: 'Location' },
  entryBytes: 65_536,
  filledBy: 'changes of devices and agents',
  atBound: 'the limits of Locations and agents of an account',
});

/** Creates the rounds of one controller. */
export function createPlanRound({
  kysely,
  clock,
  log,
  controllerId,
  timeScale,
}: {
  readonly kysely: Db['kysely'];
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly timeScale: TimeScale;
}): PlanRound {
  /** The facts that each Location's plan was made from, and when. */
  const made = tracked(new Map<number, { readonly from: string; readonly atMs: number }>());
  /** Locations whose plan the database or the planner refused; logged once. */
  const refused = new Set<number>();
  const startedUs = clock.nowUs();
  let leases: readonly Lease[] = [];

  const planOne = async (
    location: store.LocationState,
    facts: {
      readonly lease: Lease;
      readonly onlineLocations: OnlineLocations;
      readonly isRequested: boolean;
    },
  ) => {
    const { locationNo } = location;
    const { lease, onlineLocations, isRequested } = facts;
    const agents: readonly PlanAgent[] = eligibleAgents(location.candidates, {
      nowUs: clock.nowUs(),
      timeScale,
      startedUs,
      graceUs: timeScale(graceMs) * 1000,
    });
    const from = JSON.stringify([lease.epoch, agents, [...onlineLocations.online]]);
    const before = made.get(locationNo);
    const isDue = !before || before.from !== from || clock.monoMs() - before.atMs > safetyMs;
    if (!isDue && !isRequested) return;
    made.delete(locationNo);
    const isOurs = await replanLocation({ kysely, clock, log }, { location, agents, lease, onlineLocations });
    if (isOurs) made.set(locationNo, { from, atMs: clock.monoMs() });
    refused.delete(locationNo);
  };

  /** Logs a refused plan once. Returns the error when the whole database is the cause. */
  const noteFailure = (locationNo: number, error: unknown) => {
    if (dbFailure(error) === 'retry') return error;
    if (!refused.has(locationNo))
      log.warn({ locationNo, error: messageOf(error) }, 'a Location cannot be planned; trying again');
    refused.add(locationNo);
    return undefined;
  };

  return {
    get leases() {
      return leases;
    },
    async run(requests) {
      const round = requests.take();
      try {
        const locations = await store.loadLocations(kysely, { nowUs: clock.nowUs(), timeScale });
        const names = locations.map((location) => leaseName(location.locationNo));
        leases = await takeLeases(kysely, names, controllerId, leaseMs);
        const leaseOf = new Map(leases.map((lease) => [lease.name, lease]));
        const onlineOf = onlineByAccount(locations);
        let failed: unknown;
        for (const location of locations) {
          const { locationNo, accountNo } = location;
          const lease = leaseOf.get(leaseName(locationNo));
          if (!lease) {
            made.delete(locationNo);
            round.keep(locationNo);
            continue;
          }
          const onlineLocations = onlineOf.get(accountNo) ?? { online: new Set(), connected: new Set() };
          const isRequested = round.includes(locationNo);
          // One Location that cannot be planned must not keep the others waiting; it is tried again in every round.
          await planOne(location, { lease, onlineLocations, isRequested }).catch((error: unknown) => {
            failed = noteFailure(locationNo, error) ?? failed;
          });
        }
        if (failed !== undefined) throw failed;
      } catch (error) {
        round.putBack();
        throw error;
      }
    },
  };
}

/** The name of a Location's lease. */
export function leaseName(locationNo: number): string {
  return `plan:${locationNo}`;
}
