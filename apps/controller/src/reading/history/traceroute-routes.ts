import { checkId, parseCheckId } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { pageLimit } from '@vantage/rest-kit/paging';
import { conflict } from '@vantage/rest-kit/problem';
import type { Call, Route } from '@vantage/rest-kit/route';
import { route } from '@vantage/rest-kit/route-factories';
import { z } from 'zod';
import { readAgentNames, readLocationNames } from '../statistics/statistics-store.ts';
import { readSuggestion } from '../suggest-master/suggest-master-routes.ts';
import { readTracedChecks } from '../suggest-master/suggest-master-store.ts';
import { type CheckDeviceNow, type DeviceSubject, notStored } from './check-routes.ts';
import { type ExtendedFacts, findCheck, idOf } from './check-store.ts';
import {
  readTraceroute,
  showWay,
  storedTraceroute,
  tracerouteIn,
  tracerouteRecord,
  tracerouteRow,
} from './traceroute-fields.ts';

/** The agent traces for ten seconds at most; the rest is for the way of its answer. */
const waitUs = 20_000_000;

const pollMs = 250;

const maxListed = 50;

/** The parts that the route needs. */
interface TracerouteDeps {
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly checkNow: CheckDeviceNow;
}

/** Tracing the path to a device on request, and the traceroutes that are kept. */
export function tracerouteRoutes(deps: TracerouteDeps): Route[] {
  return [traceNow(deps), keptTraceroutes(deps)];
}

function traceNow({ clock, device, checkNow }: TracerouteDeps): Route {
  return route({
    method: 'POST',
    path: '/devices/{device_id}/traceroute',
    limitedCallers: 'permitted',
    waits: true,
    level: 'UO',
    tag: 'Checks',
    summary: 'Checks a device now, and answers with the path to it.',
    description:
      "An agent of the device's Locations checks the device and then traces the path with the check's own packets (ICMP for PING, UDP for DNS, else TCP to its port), for ten seconds at most. The traceroute stays with its check. 1005: no agent is connected, the agents are too old, or the agent cannot trace; the message has the reason.",
    subject: device,
    response: tracerouteRecord,
    names: { root: 'traceroute', id: 'check_id' },
    handler: async ({ session: { accountNo, zone }, subject: { device_no: deviceNo }, scoped, signal }) => {
      const result = await checkNow(deviceNo, signal, true);
      if (result.kind === 'noAgent') throw conflict('no_answer', result.message);
      const row = await tracedCheck({ clock, scoped, signal }, accountNo, result.checkId);
      if (row === undefined) throw await scoped((db) => notStored(db, deviceNo));
      const { Reached, Hops } = readTraceroute(row);
      const asked = { accountNo, deviceNo, nowUs: clock.nowUs() };
      const { SuggestedMaster } = await scoped((db) => readSuggestion(db, asked));
      return {
        body: {
          check_id: idOf(row),
          device_id: row.device_id,
          Location: row.location ?? '',
          Agent: row.agent,
          Timestamp: zone.format(row.start_us),
          CheckResult: row.check_result,
          Reached,
          Hops,
          SuggestedMaster,
        },
      };
    },
  });
}

function keptTraceroutes({ clock, device }: TracerouteDeps): Route {
  return route({
    method: 'GET',
    path: '/devices/{device_id}/traceroutes',
    readsHistory: true,
    level: 'UR',
    tag: 'Checks',
    summary: 'The paths to a device that were traced, newest first.',
    description:
      'Agents trace the path after the first failed check, and on request. The newest of the last 30 days, as far as they are younger than the last change of the target. One that reached the device before a failure is the good way to compare with.',
    subject: device,
    query: z.object({ Limit: pageLimit(maxListed, 10) }),
    response: z.array(tracerouteRow),
    names: { root: 'traceroutes', row: 'traceroute', id: 'check_id' },
    handler: async ({ db, session: { zone }, subject: { device_no: deviceNo }, query }) => {
      const found = await readTracedChecks(db.kysely, deviceNo, clock.nowUs());
      const traced = found.flatMap((check) => {
        const parsed = storedTraceroute.safeParse(check.traceroute);
        return parsed.success && 'Hops' in parsed.data ? [{ check, ...showWay(parsed.data) }] : [];
      });
      const listed = traced.slice(0, query.Limit);
      const names = await readLocationNames(db, [...new Set(listed.map(({ check }) => check.locationNo))]);
      const agents = await readAgentNames(db, [...new Set(listed.map(({ check }) => check.agentNo))]);
      return {
        body: listed.map(({ check, Reached, Hops }) => ({
          check_id: checkId(check),
          Location: names.get(check.locationNo)?.name ?? '',
          Agent: agents.get(check.agentNo) ?? null,
          Timestamp: zone.format(check.startUs),
          CheckResult: check.checkResult,
          Reached,
          Hops,
        })),
      };
    },
  });
}

/** Waits until the traceroute of a check is stored. Resolves with the check as it is when the wait ends. */
async function tracedCheck(
  {
    clock,
    scoped,
    signal,
  }: Pick<TracerouteDeps, 'clock'> & Pick<Call<unknown, unknown, unknown>, 'scoped' | 'signal'>,
  accountNo: number,
  checkId: string,
): Promise<ExtendedFacts | undefined> {
  const key = parseCheckId(checkId);
  const endUs = clock.nowUs() + waitUs;
  while (key !== undefined) {
    signal.throwIfAborted();
    const row = await scoped((db) => findCheck(db, accountNo, key));
    if (row === undefined || tracerouteIn(row) !== undefined || clock.nowUs() >= endUs) return row;
    await clock.sleep(pollMs, signal);
  }
  return undefined;
}
