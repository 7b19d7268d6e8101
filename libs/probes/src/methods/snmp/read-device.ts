import type { Json, MeasuredValue } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { printable } from '../../contract/display.ts';
import { type DeviceMemory, newMemory, type SystemFacts } from './device-memory.ts';
import { type InterfaceReading, readInterfaces, timeOf } from './interface-readings.ts';
import { interfaceTable, measuredValues, type Unmet, unmetExpectations } from './judge-device.ts';
import { type DeviceTime, hasRestarted } from './rate-of.ts';
import type { SnmpClient } from './snmp-client.ts';
import type { SnmpOptions } from './snmp-options.ts';
import { type Cell, limitsFor, readObjects, type SnmpSource } from './snmp-tables.ts';
import { textOf } from './snmp-text.ts';
import { objectsOf, readValues, type ValueReading } from './value-readings.ts';

const sysDescr = '1.3.6.1.2.1.1.1.0';
const sysName = '1.3.6.1.2.1.1.5.0';
const maxDescription = 500;

/** A device as one check found it. */
export interface DeviceReading {
  readonly text: string;
  /** For the extended data. */
  readonly facts: Readonly<Record<string, Json>>;
  readonly values: readonly MeasuredValue[];
  readonly unmet: readonly Unmet[];
  /** The Values for a script, by label. */
  readonly answers: Readonly<Record<string, Json>>;
  readonly memory: DeviceMemory;
}

/** Reads a device. `memory` is that of its last check; undefined if there is none. */
export async function readDevice(check: {
  readonly clock: Clock;
  readonly client: SnmpClient;
  readonly peer: string;
  readonly settings: SnmpOptions;
  readonly memory: DeviceMemory | undefined;
}): Promise<DeviceReading> {
  const { clock, client, peer, settings } = check;
  const monoMs = () => clock.monoMs();
  const memory = check.memory ?? newMemory(monoMs());
  const source: SnmpSource = { client, peer, limits: limitsFor(memory.limits, monoMs()), monoMs };
  const { Interfaces, Values } = settings;
  // The counters of interfaces come with the times of the device, so they need no request before.
  const hasInterface = memory.layout?.interfaces.some(({ index }) => index !== undefined) ?? false;
  const isAsked = memory.system === undefined || Values.length > 0 || !hasInterface;
  const cells = isAsked
    ? await readObjects(source, [sysDescr, sysName, ...objectsOf(Values)])
    : new Map<string, Cell>();
  const first = cells.get(sysName)?.answer ?? cells.get(sysDescr)?.answer;
  const interfaces =
    Interfaces.length > 0 ? await readInterfaces(source, Interfaces, memory, first) : undefined;
  const answer = interfaces?.answer ?? first;
  const values = readValues(Values, cells, memory.counters);
  const time = answer?.upTicks === undefined ? undefined : timeOf(answer);
  const isRestarted = time !== undefined && memory.time !== undefined && hasRestarted(memory.time, time);
  const system = systemFacts(clock, cells, memory.system, time, isRestarted);
  return {
    ...shown(system, isRestarted, interfaces?.readings ?? [], values.readings),
    memory: {
      time: time ?? memory.time,
      system,
      layout: interfaces?.layout,
      interfaces: interfaces?.interfaces ?? new Map(),
      counters: values.counters,
      limits: source.limits,
    },
  };
}

function systemFacts(
  clock: Clock,
  cells: ReadonlyMap<string, Cell>,
  known: SystemFacts | undefined,
  time: DeviceTime | undefined,
  isRestarted: boolean,
): SystemFacts {
  const read = (oid: string, before: string | undefined) => {
    const cell = cells.get(oid);
    return cell === undefined ? (before ?? '') : textOf(cell.value).slice(0, maxDescription);
  };
  const startedUs = time === undefined ? undefined : clock.nowUs() - time.upTicks * 10_000;
  return {
    name: read(sysName, known?.name),
    description: read(sysDescr, known?.description),
    // The device's clock ends after 497 days, so its start is known best by the first check.
    startedUs: isRestarted ? startedUs : (known?.startedUs ?? startedUs),
  };
}

function shown(
  system: SystemFacts,
  isRestarted: boolean,
  interfaces: readonly InterfaceReading[],
  values: readonly ValueReading[],
): Omit<DeviceReading, 'memory'> {
  const unmet = unmetExpectations(interfaces, values);
  const started = system.startedUs;
  return {
    text: [sentence(system, interfaces), ...unmet.map(({ text }) => text)].join('; '),
    facts: {
      System: {
        Name: system.name,
        Description: system.description,
        ...(started === undefined
          ? {}
          : { Started: new Date(Math.round(started / 1e6) * 1000).toISOString() }),
      },
      ...(isRestarted ? { Restarted: true } : {}),
      ...(interfaces.length > 0 ? { Interfaces: interfaceTable(interfaces) } : {}),
      ...(unmet.length > 0 ? { Unmet: unmet.map(({ text }) => text) } : {}),
    },
    values: measuredValues(interfaces, values),
    unmet,
    answers: Object.fromEntries(
      values.map(({ label, number, text }) => [label, number ?? text ?? null] as const),
    ),
  };
}

function sentence({ name }: SystemFacts, interfaces: readonly InterfaceReading[]): string {
  const host = name === '' ? 'the device' : printable(name);
  if (interfaces.length === 0) return `${host} answers`;
  const up = interfaces.filter(({ status }) => status === 'Up').length;
  return `${host} answers, interfaces up: ${up} of ${interfaces.length}`;
}
