import type { AlertDecision, AlertKind, AlertState, MessageFacts } from '@vantage/alerts';
import { cleanLine, secondUs } from '@vantage/domain';
import { pipelined, type Tables } from '@vantage/storage';
import { areHotTablesDistributed } from '@vantage/storage/distribute';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { DueAlert } from './due-store.ts';
import type { SubjectRow } from './subject-store.ts';
import {
  type BehindRow,
  devicesBehind,
  type FailingDevice,
  type FellRow,
  failureTraces,
  type HeardRow,
  lastHeard,
  latestResults,
  outagesNear,
  type SentRow,
  sentBefore,
} from './surroundings-store.ts';

/** A decided alert that may have messages. */
interface Decided {
  readonly alert: DueAlert;
  readonly kind: AlertKind;
  readonly state: AlertState;
  readonly subject: Pick<SubjectRow, 'masterNo'> | undefined;
  readonly decision: AlertDecision;
}

/**
 * MessageFacts for the messages of one alert in addition to its own: where it fails, what else is affected, and the
 * number of the message.
 */
export interface AlertSurroundings {
  readonly facts: MessageFacts;
  /** The number of earlier messages of the alert by contact number. */
  readonly sent: ReadonlyMap<number, number>;
}

export const noSurroundings: AlertSurroundings = { facts: {}, sent: new Map() };

/**
 * The surroundings of all alerts of one decision that open or repeat. Reads them by at most seven statements, six of
 * them sent together, for any number of alerts, and by none where no contact is notified.
 */
export async function surroundingsOf(
  trx: Kysely<Tables>,
  decided: readonly Decided[],
  nowUs: number,
): Promise<ReadonlyMap<number, AlertSurroundings>> {
  const notifying = decided.filter(({ decision }) =>
    decision.messages.some(({ about }) => about === 'opening' || about === 'flapping'),
  );
  if (notifying.length === 0) return new Map();
  const failing = notifying.flatMap(failingDevice);
  const down = failing.filter(({ isDown }) => isDown);
  const repeated = notifying.filter(({ state }) => state.notified.length > 0);
  const offline = notifying.flatMap(({ kind, alert }) =>
    kind === 'location.offline' ? (alert.location_no ?? []) : [],
  );
  // Citus refuses these reads until the tables are back on the coordinator. The message goes out without them.
  const canRead = !(await areHotTablesDistributed(trx));
  const [results, traces, behind, near, sent, heard] = await pipelined(trx, (pipe) => [
    latestResults(pipe, canRead ? failing : [], nowUs),
    failureTraces(pipe, canRead ? down : []),
    devicesBehind(pipe, down),
    outagesNear(pipe, down),
    sentBefore(
      pipe,
      repeated.map(({ alert }) => alert.alert_no),
    ),
    lastHeard(pipe, offline),
  ]);
  const paths = traces.flatMap(({ alertNo, location, traceroute }) => {
    const trace = traceFact(traceroute, location);
    return trace === undefined ? [] : [{ alertNo, trace }];
  });
  const deviceByAlert = new Map(failing.map((device) => [device.alertNo, device]));
  return new Map(
    notifying.map(({ alert }): [number, AlertSurroundings] => {
      const no = alert.alert_no;
      const device = deviceByAlert.get(no);
      const trace = paths.find(({ alertNo }) => alertNo === no)?.trace;
      const facts = {
        ...locationFacts(results.filter(({ alertNo }) => alertNo === no)),
        ...(trace === undefined ? {} : { Trace: trace }),
        ...behindFact(behind.find(({ alertNo }) => alertNo === no)),
        ...(device?.isDown === true ? nearbyFact(device, near, sameHop(no, paths)) : {}),
        ...heardFacts(heard.find(({ locationNo }) => locationNo === alert.location_no)),
      };
      return [no, { facts, sent: sentOf(no, sent) }];
    }),
  );
}

interface Failing extends FailingDevice {
  readonly accountNo: number;
  readonly locationNo: number | null;
  readonly masterNo: number | null;
  readonly sinceUs: number;
  /** False: it fails from some Locations only. */
  readonly isDown: boolean;
}

function failingDevice({ alert, kind, subject, decision }: Decided): readonly Failing[] {
  const { alert_no: alertNo, device_no: deviceNo, account_no: accountNo, location_no: locationNo } = alert;
  const { flapping } = decision.state;
  const isDown = kind === 'device.down' && (flapping === null || flapping.downSinceUs !== null);
  if (deviceNo === null || (!isDown && kind !== 'device.partial')) return [];
  const sinceUs = alert.since_us;
  const fromUs = isDown ? (flapping?.downSinceUs ?? sinceUs) : 0;
  const masterNo = subject?.masterNo ?? null;
  return [{ alertNo, deviceNo, accountNo, locationNo, masterNo, sinceUs, fromUs, isDown }];
}

/** The Locations where the device fails and where it works, by the latest result of each. Pure. */
function locationFacts(
  results: readonly { readonly location: string; readonly isGood: boolean }[],
): MessageFacts {
  const namesOf = (isGood: boolean) =>
    results.filter((result) => result.isGood === isGood).map(({ location }) => location);
  const [failing, good] = [namesOf(false), namesOf(true)];
  return {
    ...(failing.length === 0 ? {} : { FailingLocations: failing }),
    ...(good.length === 0 ? {} : { GoodLocations: good }),
  };
}

const storedTraceroute = z.object({
  Reached: z.boolean().catch(false),
  Hops: z.array(z.object({ Address: z.string().max(100).nullable() })).max(64),
});

/** A trace; `Path` has null for a router that did not answer. */
interface TraceFact extends MessageFacts {
  readonly Hops: number;
  readonly LastHop: string;
  readonly Reached: boolean;
  readonly Path: readonly (string | null)[];
}

/** Undefined: nothing answered on the path. Pure. */
function traceFact(traceroute: unknown, location: string): TraceFact | undefined {
  const parsed = storedTraceroute.safeParse(traceroute);
  if (!parsed.success) return undefined;
  const Path = parsed.data.Hops.map(({ Address }) => (Address === null ? null : cleanLine(Address)));
  const LastHop = Path.findLast((hop) => hop !== null);
  if (LastHop === undefined) return undefined;
  const { Reached } = parsed.data;
  return {
    Hops: Path.length,
    LastHop,
    Reached,
    Path,
    ...(location === '' ? {} : { Location: location }),
  };
}

function behindFact(row: BehindRow | undefined): MessageFacts {
  if (row === undefined) return {};
  const { count, suppressed, names } = row;
  const named = suppressed > 0 ? names.slice(0, suppressed) : names;
  return { Behind: { Count: count, Suppressed: suppressed, Names: named } };
}

/** Other devices of this decision whose path ends at the same router. Pure. */
function sameHop(
  alertNo: number,
  paths: readonly { readonly alertNo: number; readonly trace: TraceFact }[],
): { readonly name: string; readonly count: number } | undefined {
  const trace = paths.find((path) => path.alertNo === alertNo)?.trace;
  if (trace === undefined || trace.Reached) return undefined;
  const same = paths.filter((path) => !path.trace.Reached && path.trace.LastHop === trace.LastHop);
  return { name: trace.LastHop, count: same.length - 1 };
}

/** Other devices that fell up to a minute before or after, by what they have in common with this one. Pure. */
export function nearbyFact(
  device: Pick<Failing, 'accountNo' | 'locationNo' | 'masterNo' | 'sinceUs'>,
  fell: readonly FellRow[],
  hop?: { readonly name: string; readonly count: number },
): MessageFacts {
  const second = Math.floor(device.sinceUs / secondUs);
  const near = fell.filter((row) => row.accountNo === device.accountNo && Math.abs(row.second - second) < 60);
  const here = near.filter(({ locationNo }) => locationNo !== null && locationNo === device.locationNo);
  const siblings = near.filter(({ masterNo }) => masterNo !== null && masterNo === device.masterNo);
  const found = [
    ...othersOf('Location', here, here[0]?.location),
    ...othersOf('master', siblings, siblings[0]?.master),
    ...(hop === undefined || hop.count < 1 ? [] : [{ Count: hop.count, What: 'hop', Name: hop.name }]),
  ];
  return found.length === 0 ? {} : { Nearby: found };
}

/** The rows include the device itself. */
function othersOf(
  what: string,
  rows: readonly FellRow[],
  name: string | null | undefined,
): readonly MessageFacts[] {
  const others = rows.reduce((sum, { count }) => sum + count, 0) - 1;
  return name == null || others < 1 ? [] : [{ Count: others, What: what, Name: name }];
}

function heardFacts(row: HeardRow | undefined): MessageFacts {
  if (row === undefined) return {};
  const { agent, lastSeenUs, isLeaving, words } = row;
  return {
    ...(words === null ? {} : { LastWords: words }),
    LastHeard: { Agent: agent, At: lastSeenUs, Left: isLeaving },
  };
}

function sentOf(alertNo: number, sent: readonly SentRow[]): ReadonlyMap<number, number> {
  return new Map(
    sent.filter((row) => row.alertNo === alertNo).map(({ contactNo, count }) => [contactNo, count]),
  );
}
