import { declareState, LRUCache } from '@vantage/kernel';
import type { InterfaceLayout } from './interface-layout.ts';
import type { CounterReading, DeviceTime } from './rate-of.ts';
import { type DeviceLimits, newLimits } from './snmp-tables.ts';

/** The facts of a device that a check needs of the ones before it. An agent is at one Location, so they are its own. */
export interface DeviceMemory {
  readonly time: DeviceTime | undefined;
  readonly system: SystemFacts | undefined;
  readonly layout: InterfaceLayout | undefined;
  /** By label. */
  readonly interfaces: ReadonlyMap<string, InterfaceRecord>;
  /** The counters among the Values, by OID. */
  readonly counters: ReadonlyMap<string, CounterReading>;
  readonly limits: DeviceLimits;
}

/** Facts that stay, so that the extended data of good checks are equal. */
export interface SystemFacts {
  readonly name: string;
  readonly description: string;
  /** The start of the device, microseconds since 1970. */
  readonly startedUs: number | undefined;
}

/** An interface at its last check. */
export interface InterfaceRecord {
  readonly status: string;
  /** Octets, errors and discards, in and out; undefined where the device has no such counter. */
  readonly counters: readonly (CounterReading | undefined)[];
}

const maxBytes = 64 * 1024 * 1024;
const memoryBytes = 2_000;
const counterBytes = 150;
/** An interface, with its entry in the layout. */
const interfaceBytes = 500;
const absentBytes = 100;

const tracked = declareState({
  name: 'snmp_devices',
  entries: maxBytes,
  entryBytes: 1,
  filledBy: 'devices of the Method SNMP',
  atBound: 'the one that was checked longest ago is forgotten; its next check has no rates',
});

/** The memories of an agent's devices. They end with the process: the first check after its start has no rates. */
export interface DeviceMemories {
  get(key: string): DeviceMemory | undefined;
  set(key: string, memory: DeviceMemory): void;
}

export function createDeviceMemories(limitBytes = maxBytes): DeviceMemories {
  const cache = new LRUCache<string, DeviceMemory>({ maxSize: limitBytes, sizeCalculation: bytesOf });
  return tracked({
    get: (key: string) => cache.get(key),
    set: (key: string, memory: DeviceMemory) => void cache.set(key, memory),
    get bytes() {
      return cache.calculatedSize;
    },
  });
}

/** The memory of a device that was not checked before. */
export function newMemory(nowMs: number): DeviceMemory {
  return {
    time: undefined,
    system: undefined,
    layout: undefined,
    interfaces: new Map(),
    counters: new Map(),
    limits: newLimits(nowMs),
  };
}

function bytesOf(memory: DeviceMemory): number {
  const { system, layout, interfaces, counters, limits } = memory;
  const texts = system ? system.name.length + system.description.length : 0;
  const labels =
    layout?.interfaces.reduce(
      (sum, { label, name, alias }) => sum + label.length + name.length + alias.length,
      0,
    ) ?? 0;
  const ofInterfaces = [...interfaces.values()].reduce(
    (sum, record) => sum + interfaceBytes + counterBytes * record.counters.length,
    0,
  );
  return (
    memoryBytes +
    2 * (texts + labels + (layout?.key.length ?? 0)) +
    ofInterfaces +
    counterBytes * counters.size +
    absentBytes * limits.absent.size
  );
}
