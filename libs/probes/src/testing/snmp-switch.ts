import type { AgentObject, AgentValue } from './snmp-agent.ts';

const ifEntry = '1.3.6.1.2.1.2.2.1';
const ifXEntry = '1.3.6.1.2.1.31.1.1.1';

/** The counters of a port. */
const portCounters = ['inOctets', 'outOctets', 'inErrors', 'outErrors', 'inDiscards', 'outDiscards'] as const;
export type PortCounter = (typeof portCounters)[number];

const columns64: Readonly<Record<string, PortCounter>> = { 6: 'inOctets', 10: 'outOctets' };
const columns32: Readonly<Record<string, PortCounter>> = {
  10: 'inOctets',
  13: 'inDiscards',
  14: 'inErrors',
  16: 'outOctets',
  19: 'outDiscards',
  20: 'outErrors',
};

/** A port of the simulated switch. */
export interface SimulatedPort {
  readonly name: string;
  readonly alias: string;
  readonly speed: number;
  /** Whether it has 64-bit counters of octets. */
  readonly is64: boolean;
  status: 'Up' | 'Down';
  /** An administrator shut it. */
  isShut: boolean;
}

/** A counter of a port when an answer carried it. */
interface CounterSent {
  /** Seconds of simulated time. */
  readonly atSeconds: number;
  readonly boots: number;
  /** The true total since the beginning, which no wrap or restart touches. */
  readonly total: number;
}

/**
 * A switch with ports whose traffic varies. Its counters wrap, and begin anew at a restart; its indexes change at a
 * restart and when a module is inserted. `seconds` is the simulated time.
 */
export interface SimulatedSwitch {
  readonly ports: readonly SimulatedPort[];
  objects(): readonly AgentObject[];
  /** Notes the readings of an answer. */
  sent(oids: readonly string[]): void;
  /** The counters of a port as they were last sent. */
  lastSent(port: SimulatedPort): Readonly<Partial<Record<PortCounter, CounterSent>>>;
  restart(): void;
  insertModule(): void;
}

export function createSwitch(
  seconds: () => number,
  { ports: count = 48, random }: { readonly ports?: number; readonly random: () => number },
): SimulatedSwitch {
  const ports: readonly SimulatedPort[] = Array.from({ length: count }, (_, at) => ({
    name: `Gi1/0/${at + 1}`,
    alias: `desk ${at + 1}`,
    // The last eight are of an old module: 100 Mbit/s and 32-bit counters.
    speed: at >= count - 8 ? 100_000_000 : at % 4 === 0 ? 10_000_000_000 : 1_000_000_000,
    is64: at < count - 8,
    status: 'Up' as const,
    isShut: false,
  }));
  const traffic = new Map(ports.map((port) => [port, trafficOf(port, random)]));
  const readings = new Map<SimulatedPort, Partial<Record<PortCounter, CounterSent>>>();
  let boots = 1;
  let startedAt = seconds() - 3_600;
  let firstIndex = 10_001;
  let tableChange = 0;
  /** The totals at the last restart, and the counts from which the counters began then. */
  let base = new Map<
    SimulatedPort,
    { zero: Record<PortCounter, number>; offset: Record<PortCounter, bigint> }
  >();

  const totalsOf = (port: SimulatedPort) => {
    const rates = traffic.get(port);
    if (!rates) throw new Error('no such port');
    const entries = portCounters.map((name) => [name, rates[name](seconds())] as const);
    return Object.fromEntries(entries) as Record<PortCounter, number>;
  };
  const upTicks = () => Math.floor((seconds() - startedAt) * 100);
  const countOf = (port: SimulatedPort, name: PortCounter, bits: 32 | 64): AgentValue => {
    const from = base.get(port);
    const grown = totalsOf(port)[name] - (from?.zero[name] ?? 0);
    const value = BigInt.asUintN(bits, BigInt(Math.floor(grown)) + (from?.offset[name] ?? 0n));
    return { type: bits === 64 ? 'counter64' : 'counter32', value };
  };
  const begin = (offset: (name: PortCounter) => bigint) => {
    base = new Map(
      ports.map((port) => {
        const offsets = Object.fromEntries(portCounters.map((name) => [name, offset(name)] as const));
        return [port, { zero: totalsOf(port), offset: offsets as Record<PortCounter, bigint> }];
      }),
    );
  };
  // Counters that ran for long: those with 32 bits are shortly before a wrap.
  begin((name) => (name.endsWith('Octets') ? 2n ** 40n + 2n ** 32n - 40_000_000n : 2n ** 32n - 500n));

  const portObjects = (port: SimulatedPort, index: number): readonly AgentObject[] => {
    const wide = (oid: string, name: PortCounter): readonly AgentObject[] =>
      port.is64 ? [[`${ifXEntry}.${oid}.${index}`, () => countOf(port, name, 64)]] : [];
    const narrow = (oid: string, name: PortCounter): AgentObject => [
      `${ifEntry}.${oid}.${index}`,
      () => countOf(port, name, 32),
    ];
    return [
      [`${ifEntry}.2.${index}`, () => ({ type: 'text', value: `Gigabit ${port.name}` })],
      [`${ifEntry}.5.${index}`, () => ({ type: 'gauge', value: Math.min(port.speed, 4_294_967_295) })],
      [`${ifEntry}.7.${index}`, () => ({ type: 'integer', value: port.isShut ? 2 : 1 })],
      [
        `${ifEntry}.8.${index}`,
        () => ({ type: 'integer', value: port.status === 'Up' && !port.isShut ? 1 : 2 }),
      ],
      narrow('10', 'inOctets'),
      narrow('13', 'inDiscards'),
      narrow('14', 'inErrors'),
      narrow('16', 'outOctets'),
      narrow('19', 'outDiscards'),
      narrow('20', 'outErrors'),
      [`${ifXEntry}.1.${index}`, () => ({ type: 'text', value: port.name })],
      ...wide('6', 'inOctets'),
      ...wide('10', 'outOctets'),
      [`${ifXEntry}.15.${index}`, () => ({ type: 'gauge', value: port.speed / 1_000_000 })],
      [`${ifXEntry}.18.${index}`, () => ({ type: 'text', value: port.alias })],
      [`${ifXEntry}.19.${index}`, () => ({ type: 'ticks', value: 0 })],
    ];
  };
  return {
    ports,
    objects: () => [
      ['1.3.6.1.2.1.1.1.0', () => ({ type: 'text', value: 'Simulated Switch 48' })],
      ['1.3.6.1.2.1.1.3.0', () => ({ type: 'ticks', value: upTicks() % 2 ** 32 })],
      ['1.3.6.1.2.1.1.5.0', () => ({ type: 'text', value: 'switch-1' })],
      ['1.3.6.1.2.1.31.1.5.0', () => ({ type: 'ticks', value: tableChange })],
      ...ports.flatMap((port, at) => portObjects(port, firstIndex + at)),
    ],
    sent(oids) {
      for (const oid of oids) {
        const [, entry = '', column = '', index] = /^(.*)\.(\d+)\.(\d+)$/.exec(oid) ?? [];
        const port = ports[Number(index) - firstIndex];
        const name =
          port &&
          (entry === ifXEntry ? columns64[column] : entry === ifEntry ? columns32[column] : undefined);
        if (!port || !name) continue;
        // Who has 64-bit counters of octets has no use for the others.
        if (port.is64 && entry === ifEntry && name.endsWith('Octets')) continue;
        const sent = { atSeconds: seconds(), boots, total: totalsOf(port)[name] };
        readings.set(port, { ...readings.get(port), [name]: sent });
      }
    },
    lastSent: (port) => readings.get(port) ?? {},
    restart() {
      boots += 1;
      startedAt = seconds();
      tableChange = 0;
      firstIndex = firstIndex === 10_001 ? 20_001 : 10_001;
      begin(() => 0n);
    },
    insertModule() {
      tableChange = upTicks();
      firstIndex += 100;
    },
  };
}

/** The total of a counter at a time, seconds. It never falls. */
type Total = (seconds: number) => number;

/** Traffic with a mean and a daily and an hourly wave, and some errors. */
function trafficOf(port: SimulatedPort, random: () => number): Record<PortCounter, Total> {
  const wave = (mean: number): Total => {
    const [phase, hour] = [random() * 6, 3_600 / (2 * Math.PI)];
    // The integral of mean × (1 + 0.9 × sin(t / hour + phase)).
    return (t) => mean * (t - 0.9 * hour * Math.cos(t / hour + phase));
  };
  const octets = (port.speed / 8) * (0.05 + 0.4 * random());
  return {
    inOctets: wave(octets),
    outOctets: wave(octets * random()),
    inErrors: wave(3 * random()),
    outErrors: wave(random()),
    inDiscards: wave(5 * random()),
    outDiscards: wave(random()),
  };
}
