import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { z } from 'zod';
import { type Db, holdsLease, type Lease, releaseLeases, takeLeases } from '../db/index.ts';
import { eligibleAgents } from './eligible.ts';
import { diffPlans, planLocation } from './plan.ts';
import * as store from './store.ts';

/** Keeps the plans of all Locations whose lease this controller has. */
export interface Assign {
  /** Goes on until the signal aborts; plans a Location on a word from the catalog, and whenever its agents or Locations change. */
  run(signal: AbortSignal): Promise<void>;
}

/** A controller that died is replaced after this; one that plans renews at every turn. */
const leaseMs = 10_000;
const pollMs = 3_000;
const pauseMs = 200;
/** Plans are looked at again after this long even when nothing seems to have changed. */
const safetyMs = 60_000;
const notifyAtOnce = 500;

const told = z.object({ location_nos: z.array(z.int()) });

/** Makes the planner. `graceMs`: how long an agent that is away keeps its devices. */
export function createAssign({
  db,
  clock,
  log,
  controllerId,
  graceMs = 60_000,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly controllerId: string;
  readonly graceMs?: number;
}): Assign {
  const kysely = db.kysely;
  const dirty = new Set<number>();
  /** What each Location's plan was made from, and when. */
  const made = new Map<number, { readonly from: string; readonly atMs: number }>();
  let lookAtAll = true;
  let wake = () => {};

  const onCatalog = (payload: string | undefined) => {
    const parsed = told.safeParse(readJson(payload));
    if (parsed.success) for (const no of parsed.data.location_nos) dirty.add(no);
    else lookAtAll = true;
    wake();
  };

  /** Plans one Location in a transaction in which its lease is ours; false when it is not any more. */
  const planOne = async (location: store.LocationState, lease: Lease, observing: ReadonlySet<number>) => {
    const nowUs = clock.nowUs();
    const agents = eligibleAgents(location.candidates, { nowUs, graceUs: graceMs * 1000 });
    const { locationNo } = location;
    const touched = await kysely.transaction().execute(async (trx) => {
      if (!(await holdsLease(trx, lease))) return undefined;
      const devices = await store.loadDevices(trx, locationNo);
      const present = await store.loadHoldings(trx, locationNo);
      const wanted = planLocation({ locationNo, agents, devices, observing });
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
      for (let at = 0; at < agentNos.length; at += notifyAtOnce)
        await db.notify(trx, 'vantage_plan', { agent_nos: agentNos.slice(at, at + notifyAtOnce) });
      return change.open.length + change.close.length;
    });
    if (touched) log.debug({ locationNo, changes: touched, agents: agents.length }, 'planned');
    return touched !== undefined;
  };

  const turn = async () => {
    const startMs = clock.monoMs();
    const asked = new Set(dirty);
    const wasAll = lookAtAll;
    dirty.clear();
    lookAtAll = false;
    try {
      const locations = await store.loadLocations(kysely, { nowUs: clock.nowUs() });
      const leases = await takeLeases(
        kysely,
        locations.map((location) => leaseName(location.locationNo)),
        controllerId,
        leaseMs,
      );
      const leaseOf = new Map(leases.map((lease) => [lease.name, lease]));
      const observingOf = observingByAccount(locations);
      let failed: unknown;
      for (const location of locations) {
        const lease = leaseOf.get(leaseName(location.locationNo));
        const { locationNo } = location;
        if (!lease) {
          made.delete(locationNo);
          continue;
        }
        const observing = observingOf.get(location.accountNo) ?? new Set();
        const agents = eligibleAgents(location.candidates, {
          nowUs: clock.nowUs(),
          graceUs: graceMs * 1000,
        });
        const from = JSON.stringify([lease.epoch, agents, [...observing]]);
        const before = made.get(locationNo);
        const isDue = !before || before.from !== from || clock.monoMs() - before.atMs > safetyMs;
        if (!isDue && !asked.has(locationNo) && !wasAll) continue;
        try {
          if (await planOne(location, lease, observing)) made.set(locationNo, { from, atMs: clock.monoMs() });
          else made.delete(locationNo);
        } catch (error) {
          // One Location that cannot be planned must not keep the others waiting.
          made.delete(locationNo);
          failed = error;
        }
      }
      if (failed !== undefined) throw failed;
    } catch (error) {
      for (const no of asked) dirty.add(no);
      lookAtAll ||= wasAll;
      throw error;
    }
    return clock.monoMs() - startMs;
  };

  return {
    async run(signal) {
      await using _listening = await db.listen('vantage_catalog', onCatalog);
      let isWell = true;
      while (!signal.aborted) {
        let tookMs = 0;
        try {
          tookMs = await turn();
          if (!isWell) log.info('planning works again');
          isWell = true;
        } catch (error) {
          if (isWell) log.warn({ error: messageOf(error) }, 'planning failed; trying again');
          isWell = false;
          tookMs = 1_000;
        }
        // Many changes in a row are planned together: rest some time after each turn, longer after a long one.
        await clock.sleep(Math.min(2_000, Math.max(pauseMs, 3 * tookMs)), signal).catch(() => {});
        if (dirty.size > 0 || lookAtAll || signal.aborted) continue;
        await quiet(signal);
      }
      await releaseLeases(kysely, controllerId, 'plan:').catch(() => {});
    },
  };

  /** Waits for a word from the catalog, at most until the next look. */
  async function quiet(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    await clock.sleep(pollMs, AbortSignal.any([signal, woken.signal])).catch(() => {});
  }
}

function leaseName(locationNo: number): string {
  return `plan:${locationNo}`;
}

function observingByAccount(locations: readonly store.LocationState[]): Map<number, Set<number>> {
  const byAccount = new Map<number, Set<number>>();
  for (const { accountNo, locationNo, observing } of locations) {
    const set = byAccount.get(accountNo) ?? new Set<number>();
    byAccount.set(accountNo, set);
    if (observing) set.add(locationNo);
  }
  return byAccount;
}

function readJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
