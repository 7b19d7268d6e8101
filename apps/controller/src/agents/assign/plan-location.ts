import type { Clock, Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { holdsLease, type Lease, publish, type Tables } from '../../platform/db/index.ts';
import { timeChange } from './hand-over.ts';
import { diffPlans, type PlanAgent, type PlanFacts, planLocation } from './plan.ts';
import * as store from './store.ts';

/** Which Locations of an account are online, and which have a connected agent. */
export type OnlineLocations = Pick<PlanFacts, 'online' | 'connected'>;

/**
 * Plans one Location in a transaction in which its lease is ours, and notifies its agents. False when another
 * controller has the lease now.
 */
export async function replanLocation(
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
    if (!(await holdsLease(trx, lease))) return undefined;
    const devices = await store.loadDevices(trx, locationNo);
    const present = await store.loadAssignments(trx, locationNo);
    const assignedAgents = new Map(present.map((one) => [one.deviceNo, one.agentNo]));
    const wanted = planLocation({ locationNo, agents, devices, ...onlineLocations, assignedAgents, nowUs });
    // No agent is connected: the agents keep their devices, cut off as they are, unless device or agent are gone for
    // good.
    const here = new Set(devices.map((device) => device.deviceNo));
    const known = new Set(location.candidates.map((candidate) => candidate.agentNo));
    const target =
      agents.length > 0 ? wanted : present.filter((one) => here.has(one.deviceNo) && known.has(one.agentNo));
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
export function onlineByAccount(locations: readonly store.LocationState[]): Map<number, OnlineLocations> {
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
