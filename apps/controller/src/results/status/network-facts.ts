import {
  type EventCause,
  type InterfaceState,
  type ReportedInterface,
  stepInterfaces,
  stepStart,
} from '@vantage/health';
import { z } from 'zod';
import type { FoldDevice, InsertedCheck } from './fold-store.ts';

/** The state of an SNMP device between its checks. Null: nothing that the next check needs. Plain JSON. */
export interface NetworkFacts {
  /** The target's revision to which `startedUs` belongs: another URL is another device. */
  readonly revision: number;
  readonly startedUs: number | null;
  /** The start of the check that changed the interfaces last. Earlier ones say nothing. */
  readonly changedUs: number;
  readonly interfaces: readonly InterfaceState[];
}

const maxText = 255;
/** Options have at most 64. */
const maxInterfaces = 64;

const text = z.string().max(maxText);
const interfaceState = z.object({
  key: z.string(),
  name: z.string(),
  alias: z.string().nullable(),
  isDown: z.boolean(),
  inRow: z.int(),
  downsUs: z.array(z.number()).max(3),
});

export const storedNetworkFacts = z.object({
  revision: z.int(),
  startedUs: z.number().nullable(),
  changedUs: z.number(),
  interfaces: z.array(interfaceState).max(maxInterfaces),
});

/** The part of the extended data of SNMP that the events of a device need. */
const deviceFacts = z.object({
  System: z.object({ Started: z.iso.datetime().optional() }),
  Interfaces: z
    .array(
      z.object({
        Name: text,
        /** The name, alias or index of the Options, where it is not the name. */
        WatchedBy: text.optional(),
        Alias: text.optional(),
        Status: z.string(),
        Expect: z.string().optional(),
        DeviceDown: z.boolean().optional(),
      }),
    )
    .max(maxInterfaces)
    .default([]),
});

const reportedStatuses: ReadonlyMap<string, ReportedInterface['status']> = new Map([
  ['Up', 'up'],
  ['Dormant', 'up'],
  ['Down', 'down'],
  ['NotPresent', 'down'],
  ['LowerLayerDown', 'down'],
  ['Missing', 'missing'],
]);

/** The facts after a live check of an SNMP device, and the causes of its events. The same object: no change. Pure. */
export function networkFactsAfter(
  before: NetworkFacts | null,
  device: Pick<FoldDevice, 'accountNo' | 'deviceNo' | 'method' | 'targetRevision' | 'state'>,
  check: InsertedCheck,
): { readonly after: NetworkFacts | null; readonly causes: readonly EventCause[] } {
  const found = device.method === 'SNMP' ? factsOf(check) : undefined;
  if (found === undefined || check.start_us < (before?.changedUs ?? 0)) return { after: before, causes: [] };
  const about = {
    accountNo: device.accountNo,
    deviceNo: device.deviceNo,
    locationNo: check.location_no,
    atUs: check.end_us,
    check: { startUs: check.start_us, agentNo: check.agent_no },
    status: device.state.status,
  };
  const knownUs = before?.revision === device.targetRevision ? before.startedUs : null;
  const startedUs = Date.parse(found.System.Started ?? '') * 1000;
  const start = Number.isNaN(startedUs)
    ? { startedUs: knownUs, isRestart: false }
    : stepStart(knownUs, { startedUs, atUs: check.end_us });
  const watched = found.Interfaces.filter(({ Expect = 'Up' }) => Expect === 'Up');
  const known = before?.interfaces ?? [];
  const step = stepInterfaces(known, watched.map(reportOf), check.end_us);
  const deviceDowns = new Set(watched.flatMap((each) => (each.DeviceDown === true ? [keyOf(each)] : [])));
  const causes: readonly EventCause[] = [
    ...(start.isRestart ? [{ kind: 'device-restarted' as const, ...about, startedUs }] : []),
    ...step.changes.map((change) => ({
      kind: change.kind === 'down' ? ('interface-down' as const) : ('interface-up' as const),
      ...about,
      change,
      isDeviceDown: deviceDowns.has(change.key),
    })),
  ];
  const isSame =
    before !== null &&
    before.revision === device.targetRevision &&
    start.startedUs === before.startedUs &&
    step.after === before.interfaces;
  const isNothing = before === null && start.startedUs === null && step.after.length === 0;
  if (isSame || isNothing) return { after: before, causes };
  const hasChanged = step.after !== known;
  return {
    after: {
      revision: device.targetRevision,
      startedUs: start.startedUs,
      changedUs: hasChanged ? check.start_us : (before?.changedUs ?? 0),
      interfaces: step.after,
    },
    causes,
  };
}

type FoundInterface = z.output<typeof deviceFacts>['Interfaces'][number];

function factsOf({ extended }: InsertedCheck): z.output<typeof deviceFacts> | undefined {
  if (typeof extended !== 'string' || !extended.includes('"System"')) return undefined;
  return deviceFacts.safeParse(JSON.parse(extended)).data;
}

function keyOf({ Name, WatchedBy }: FoundInterface): string {
  return WatchedBy ?? Name;
}

function reportOf(found: FoundInterface): ReportedInterface {
  return {
    key: keyOf(found),
    name: found.Name,
    alias: found.Alias ?? null,
    status: reportedStatuses.get(found.Status) ?? 'neither',
  };
}
