import { isIP } from 'node:net';
import { checkId, cleanLine, parseCheckId } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { z } from 'zod';
import type { Db } from '../../platform/db/index.ts';
import { idField, timestampField } from '../../rest/http/field.ts';
import { pageLimit } from '../../rest/http/paging.ts';
import { conflict } from '../../rest/http/problem.ts';
import { type Route, route } from '../../rest/http/route.ts';
import { type CheckNow, type DeviceSubject, notStored } from './check-routes.ts';
import { type ExtendedFacts, findCheck, idOf } from './check-store.ts';
import { readAgentNames, readLocationNames } from './statistics-store.ts';
import { readSuggestion } from './suggest-master-routes.ts';
import { readTracedChecks } from './suggest-master-store.ts';

/** The agent traces for ten seconds at most; the rest is for the way of its answer. */
const waitUs = 20_000_000;
const pollMs = 250;
const mostHops = 64;
const mostListed = 50;

const sampleId = '27ffe370a5c14be2a0b6c5d3f1e49a7086d24c31b95fe802';

const hopRecord = z.strictObject({
  TTL: z.int().describe('Distance in routers, from 1.'),
  Address: z.string().nullable().describe('Who answered; null: nobody did.'),
  RTTMs: z.number().nullable().describe('Round trip, milliseconds.'),
  Text: z
    .string()
    .nullable()
    .describe('What the target or a router reported; null for a router that passed packets on.'),
});

const sampleHops = [
  { TTL: 1, Address: '192.0.2.1', RTTMs: 0.4, Text: null },
  { TTL: 2, Address: '198.51.100.7', RTTMs: 3.1, Text: 'connected' },
];

const tracedWay = {
  check_id: idField
    .describe('The check that was made before it. GET /checks/{check_id}/extended keeps both.')
    .meta({ example: '0000002a0006a2b1c3d4e5f60000000700000000000000ff' }),
  Location: z.string().meta({ example: 'local' }),
  Agent: z.string().nullable().describe('The agent that traced.').meta({ example: 'agent-1' }),
  Timestamp: timestampField.describe('Start of the check.'),
  CheckResult: z.string().describe('What the check says.').meta({ example: 'connected' }),
  Reached: z.boolean().describe('The last hop is the device itself.').meta({ example: true }),
  Hops: z
    .array(hopRecord)
    .meta({ description: 'The routers on the way, nearest to the agent first.', example: sampleHops }),
};

const tracerouteRow = z
  .strictObject(tracedWay)
  .meta({ id: 'KeptTraceroute', description: 'A path from an agent to a device that was traced.' });

const tracerouteRecord = z
  .strictObject({
    ...tracedWay,
    device_id: idField.meta({ example: sampleId }),
    SuggestedMaster: idField
      .nullable()
      .describe(
        'What all traceroutes of the device suggest, as GET /devices/{device_id}/suggested-master; null: none.',
      )
      .meta({ example: sampleId }),
  })
  .meta({ id: 'Traceroute', description: 'The path from an agent to a device.' });

/** The part of a check's extended data that its agent wrote. */
const storedWay = z.object({
  Reached: z.boolean(),
  Hops: z.array(
    z.object({
      TTL: z.int(),
      Address: z.string().nullable(),
      RTTMs: z.number().nullable(),
      Text: z.string().optional(),
    }),
  ),
});
const storedTraceroute = z.union([z.object({ NotPossible: z.string() }), storedWay]);
type StoredWay = z.output<typeof storedWay>;
type ShownWay = Pick<z.input<typeof tracerouteRecord>, 'Reached' | 'Hops'>;

/** The parts that the route needs. */
interface TracerouteDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly device: DeviceSubject;
  readonly checkNow: CheckNow;
}

/** Tracing the path to a device on request, and the traceroutes that are kept. */
export function tracerouteRoutes(deps: TracerouteDeps): Route[] {
  return [traceNow(deps), keptTraceroutes(deps)];
}

function traceNow(deps: TracerouteDeps): Route {
  const { db, device, checkNow } = deps;
  return route({
    method: 'POST',
    path: '/devices/{device_id}/traceroute',
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
      if (result.kind === 'nobody') throw conflict('no_answer', result.message);
      const row = await tracedCheck(deps, accountNo, result.checkId, signal);
      if (row === undefined) throw await notStored(db, deviceNo);
      const { Reached, Hops } = readTraceroute(row);
      const { SuggestedMaster } = await scoped(() => readSuggestion(deps, accountNo, deviceNo));
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

function keptTraceroutes({ db, clock, device }: TracerouteDeps): Route {
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
    query: z.object({ Limit: pageLimit(mostListed, 10) }),
    response: z.array(tracerouteRow),
    names: { root: 'traceroutes', row: 'traceroute', id: 'check_id' },
    handler: async ({ session: { zone }, subject: { device_no: deviceNo }, query }) => {
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
  { db, clock }: TracerouteDeps,
  accountNo: number,
  checkId: string,
  signal: AbortSignal,
): Promise<ExtendedFacts | undefined> {
  const key = parseCheckId(checkId);
  const endUs = clock.nowUs() + waitUs;
  while (key !== undefined) {
    signal.throwIfAborted();
    const row = await findCheck(db, accountNo, key);
    if (row === undefined || tracerouteIn(row) !== undefined || clock.nowUs() >= endUs) return row;
    await clock.sleep(pollMs, signal);
  }
  return undefined;
}

function tracerouteIn({ extended }: ExtendedFacts): unknown {
  return typeof extended === 'object' && extended !== null && 'Traceroute' in extended
    ? extended.Traceroute
    : undefined;
}

/** The traceroute of a check. Throws a Problem (1005) with the reason why there is none. */
function readTraceroute(row: ExtendedFacts): ShownWay {
  const who = `agent ${cleanLine(row.agent ?? 'without a name')} of Location ${cleanLine(row.location ?? '')}`;
  const stored = tracerouteIn(row);
  if (stored === undefined)
    throw conflict('no_answer', `${who} checked the device, but its traceroute did not come in time`);
  const parsed = storedTraceroute.safeParse(stored);
  if (!parsed.success) throw conflict('no_answer', `${who} sent a traceroute that is not readable`);
  if ('NotPossible' in parsed.data)
    throw conflict('no_answer', `${who} did not trace the path: ${cleanLine(parsed.data.NotPossible)}`);
  return showWay(parsed.data);
}

/** A stored traceroute as the API shows it: bounded, with texts that are clean. Pure. */
function showWay({ Reached, Hops }: StoredWay): ShownWay {
  return {
    Reached,
    Hops: Hops.slice(0, mostHops).map(({ TTL, Address, RTTMs, Text }) => ({
      TTL,
      Address: Address === null || isIP(Address) === 0 ? null : Address,
      RTTMs,
      Text: Text === undefined ? null : cleanLine(Text),
    })),
  };
}
