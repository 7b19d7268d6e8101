import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { realTime, type TimeScale } from '../config/time-scale.ts';
import {
  type Db,
  dbFailure,
  holdsLease,
  type Lease,
  publish,
  releaseLeases,
  takeLeases,
} from '../db/index.ts';
import { eligibleAgents } from './eligible.ts';
import { diffPlans, type PlanFacts, planLocation } from './plan.ts';
import * as store from './store.ts';

/** Keeps the plans of all Locations whose lease this controller has. */
export interface Assign {
  /** Goes on until the signal aborts; plans a Location on a word from the catalog, and whenever its agents or Locations change. */
  run(signal: AbortSignal): Promise<void>;
}

/** A controller that died is replaced after this; one that lives renews three times as often, however long its planning takes. */
const leaseMs = 3_000;
const pollMs = 3_000;
/** A word about a Location that another controller plans is kept until that one surely planned it, or its lease is over. */
const keepNoticeMs = leaseMs + 1_000;
const recheckMs = 500;
const pauseMs = 200;
/** Plans are checked again after this long even when nothing seems to have changed. */
const safetyMs = 60_000;

/** How long an agent that is away keeps its devices. */
const graceMs = 60_000;

/** Makes the planner. */
export function createAssign({
  db,
  clock,
  log,
  controllerId,
  timeScale = realTime,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly timeScale?: TimeScale;
}): Assign {
  const kysely = db.kysely;
  /** Locations to be planned again, and until when (monotonic) the word counts where another controller holds the lease. */
  const dirty = new Map<number, number>();
  const held = new Set<string>();
  /** What each Location's plan was made from, and when. */
  const made = new Map<number, { readonly from: string; readonly atMs: number }>();
  /** Locations whose plan the database or the planner refused; logged once. */
  const refused = new Set<number>();
  let replanAll = true;
  let wake = () => {};
  const eligible = (location: store.LocationState) =>
    eligibleAgents(location.candidates, {
      nowUs: clock.nowUs(),
      timeScale,
      graceUs: timeScale(graceMs) * 1000,
    });

  const onCatalog = (notice: { readonly location_nos: readonly number[] } | undefined) => {
    if (notice === undefined) replanAll = true;
    else for (const no of notice.location_nos) dirty.set(no, clock.monoMs() + keepNoticeMs);
    wake();
  };

  /** Plans one Location in a transaction in which its lease is ours; false when it is not any more. */
  const planOne = async (location: store.LocationState, lease: Lease, onlineLocations: OnlineLocations) => {
    const nowUs = clock.nowUs();
    const agents = eligible(location);
    const { locationNo } = location;
    const touched = await kysely.transaction().execute(async (trx) => {
      if (!(await holdsLease(trx, lease))) return undefined;
      const devices = await store.loadDevices(trx, locationNo);
      const present = await store.loadAssignments(trx, locationNo);
      const assignedAgents = new Map(present.map((one) => [one.deviceNo, one.agentNo]));
      const wanted = planLocation({ locationNo, agents, devices, ...onlineLocations, assignedAgents, nowUs });
      // Nobody is connected: whoever held a device goes on with it, cut off as it is, unless device or agent are gone for good.
      const here = new Set(devices.map((device) => device.deviceNo));
      const known = new Set(location.candidates.map((candidate) => candidate.agentNo));
      const target =
        agents.length > 0
          ? wanted
          : present.filter((one) => here.has(one.deviceNo) && known.has(one.agentNo));
      const change = diffPlans(present, target);
      await store.writeChange(trx, { locationNo, change, nowUs });
      // Settings may have changed without a change of hands, so everybody who holds something here looks.
      const agentNos = [...new Set([...present, ...target].map((one) => one.agentNo))];
      await publish(trx, 'plan', { agent_nos: agentNos });
      return change.open.length + change.close.length + change.update.length;
    });
    if (touched) log.debug({ locationNo, changes: touched, agents: agents.length }, 'planned');
    return touched !== undefined;
  };

  const planRound = async () => {
    const startMs = clock.monoMs();
    const requested = new Map(dirty);
    const wasAll = replanAll;
    dirty.clear();
    replanAll = false;
    try {
      const locations = await store.loadLocations(kysely, { nowUs: clock.nowUs(), timeScale });
      const leases = await takeLeases(
        kysely,
        locations.map((location) => leaseName(location.locationNo)),
        controllerId,
        leaseMs,
      );
      const leaseOf = new Map(leases.map((lease) => [lease.name, lease]));
      held.clear();
      for (const { name } of leases) held.add(name);
      const onlineOf = onlineByAccount(locations);
      let failed: unknown;
      for (const location of locations) {
        const lease = leaseOf.get(leaseName(location.locationNo));
        const { locationNo } = location;
        if (!lease) {
          made.delete(locationNo);
          const untilMs = requested.get(locationNo) ?? 0;
          if (untilMs > clock.monoMs()) dirty.set(locationNo, untilMs);
          continue;
        }
        const onlineLocations = onlineOf.get(location.accountNo) ?? {
          online: new Set(),
          connected: new Set(),
        };
        const from = JSON.stringify([lease.epoch, eligible(location), [...onlineLocations.online]]);
        const before = made.get(locationNo);
        const isDue = !before || before.from !== from || clock.monoMs() - before.atMs > safetyMs;
        if (!isDue && !requested.has(locationNo) && !wasAll) continue;
        try {
          if (await planOne(location, lease, onlineLocations))
            made.set(locationNo, { from, atMs: clock.monoMs() });
          else made.delete(locationNo);
          refused.delete(locationNo);
        } catch (error) {
          // One Location that cannot be planned must not keep the others waiting; it is tried again in every turn.
          made.delete(locationNo);
          if (dbFailure(error) === 'retry') failed = error;
          else if (refused.has(locationNo)) continue;
          else {
            refused.add(locationNo);
            log.warn({ locationNo, error: messageOf(error) }, 'a Location cannot be planned; trying again');
          }
        }
      }
      if (failed !== undefined) throw failed;
    } catch (error) {
      for (const [no, untilMs] of requested) dirty.set(no, untilMs);
      replanAll ||= wasAll;
      throw error;
    }
    return clock.monoMs() - startMs;
  };

  return {
    async run(signal) {
      await using _listening = await db.subscribe('catalog', onCatalog);
      const renewing = renew(signal);
      let isHealthy = true;
      while (!signal.aborted) {
        let tookMs = 0;
        try {
          tookMs = await planRound();
          if (!isHealthy) log.info('planning works again');
          isHealthy = true;
        } catch (error) {
          if (isHealthy) log.warn({ error: messageOf(error) }, 'planning failed; trying again');
          isHealthy = false;
          tookMs = 1_000;
        }
        // Many changes in a row are planned together: rest some time after each turn, longer after a long one.
        await clock.sleep(Math.min(2_000, Math.max(pauseMs, 3 * tookMs)), signal).catch(() => {});
        if (replanAll || hasOwnWork() || signal.aborted) continue;
        await waitForNotice(dirty.size > 0 ? recheckMs : pollMs, signal);
      }
      await renewing;
      await releaseLeases(kysely, controllerId, 'plan:').catch(() => {});
    },
  };

  function hasOwnWork(): boolean {
    return [...dirty.keys()].some((no) => held.has(leaseName(no)));
  }

  /** Keeps the leases that the last turn found to be ours. What fails here, the turns will tell. */
  async function renew(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(leaseMs / 3, signal).catch(() => {});
      if (!signal.aborted) await takeLeases(kysely, [...held], controllerId, leaseMs).catch(() => []);
    }
  }

  /** Waits for a word from the catalog, at most until the next look. */
  async function waitForNotice(forMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    await clock.sleep(forMs, AbortSignal.any([signal, woken.signal])).catch(() => {});
  }
}

function leaseName(locationNo: number): string {
  return `plan:${locationNo}`;
}

/** Which Locations of an account observe, and which have a connected agent. */
type OnlineLocations = Pick<PlanFacts, 'online' | 'connected'>;

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
