import { type Clock, declareState, type Logger, messageOf } from '@vantage/kernel';
import {
  type Db,
  dbFailure,
  type Lease,
  ownsLease,
  publish,
  type Tables,
  takeLeases,
} from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { TimeScale } from '../../config/time-scale.ts';
import { diffPlans, type PlanAgent, type PlanFacts, planLocation } from './assignment-plan.ts';
import * as store from './assignment-store.ts';
import { eligibleAgents } from './eligible.ts';
import { timeChange } from './hand-over.ts';
import type { PlanRequests } from './plan-requests.ts';

/**
 * A controller that died is replaced after this. One that lives renews after two thirds of it, however long its
 * planning takes, and has two tries. A shorter lease would keep the disk of an idle system busy.
 */
export const leaseMs = 6_000;
/** Plans are made again after this long even when nothing seems to have changed. */
const safetyMs = 60_000;
/**
 * A disconnected agent keeps its devices for this long. A cut line is noticed after 25 s, and another agent gets the
 * devices within 45 s.
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

/** Which Locations of an account are online, and which have a connected agent. */
type OnlineLocations = Pick<PlanFacts, 'online' | 'connected'>;

/**
 * Plans one Location in a transaction in which its lease is ours, and notifies its agents. False when another
 * controller has the lease now.
 */
async function replanLocation(
  { kysely, clock, log }: { readonly kysely: Kysely<Tables>; readonly clock: Clock; readonly log: Logger },
  facts: {
    readonly location: store.LocationState;
    readonly agents: readonly PlanAgent[];
    readonly lease: Lease;
    readonly onlineLocations: OnlineLocations;
  },
): Promise<boolean> {
  const { location, agents, lease, onlineLocations } = facts;
  const { locationNo } = location;
  const nowUs = clock.nowUs();
  const touched = await kysely.transaction().execute(async (trx) => {
    if (!(await ownsLease(trx, lease))) return undefined;
    const devices = await store.loadDevices(trx, locationNo);
    const present = await store.loadAssignments(trx, locationNo);
    const assignedAgents = new Map(present.map((one) => [one.deviceNo, one.agentNo]));
    const planned = planLocation({ locationNo, agents, devices, ...onlineLocations, assignedAgents, nowUs });
    // No agent is connected: the agents keep their devices, cut off as they are, unless device or agent are gone for
    // good.
    const here = new Set(devices.map((device) => device.deviceNo));
    const known = new Set(location.candidates.map((candidate) => candidate.agentNo));
    const target =
      agents.length > 0 ? planned : present.filter((one) => here.has(one.deviceNo) && known.has(one.agentNo));
    const change = diffPlans(present, target);
    const connected = new Set(location.candidates.flatMap((one) => (one.connected ? one.agentNo : [])));
    await store.writeChange(trx, { locationNo, change: timeChange(change, { connected, nowUs }) });
    // Settings may have changed although no device moved, so every agent with a device here reads its plan.
    const agentNos = [...new Set([...present, ...target].map((one) => one.agentNo))];
    await publish(trx, 'plan', { agent_nos: agentNos });
    return change.open.length + change.close.length + change.update.length;
  });
  if (touched) log.debug({ locationNo, changes: touched, agents: agents.length }, 'planned');
  return touched !== undefined;
}

/** The online and the connected Locations of each account. Pure. */
function onlineByAccount(locations: readonly store.LocationState[]): Map<number, OnlineLocations> {
  const numbers = (some: readonly store.LocationState[]) => new Set(some.map(({ locationNo }) => locationNo));
  const accounts = Map.groupBy(locations, ({ accountNo }) => accountNo);
  return new Map(
    [...accounts].map(([accountNo, own]) => [
      accountNo,
      {
        online: numbers(own.filter(({ online }) => online)),
        connected: numbers(own.filter(({ candidates }) => candidates.some(({ connected }) => connected))),
      },
    ]),
  );
}
