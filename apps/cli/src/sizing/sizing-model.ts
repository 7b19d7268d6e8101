/** The load of an installation. */
export interface SizedLoad {
  readonly devices: number;
  /** Seconds between two checks of a device. */
  readonly intervalS: number;
  /** Days that single checks are kept. */
  readonly retentionDays: number;
  readonly agents: number;
  readonly method: SizedMethod;
}

/** Methods with a measured cost. The others are between TCP and HTTP. */
export const sizedMethods = ['TCP', 'HTTP', 'DNS', 'PING'] as const;
export type SizedMethod = (typeof sizedMethods)[number];

/** The hardware for a load. Cores are fully used cores of the machine of docs/bench.md. */
export interface HardwareSize {
  readonly checksPerSecond: number;
  /** Batches of results from agents. Each is a transaction. */
  readonly batchesPerSecond: number;
  /** For each agent. */
  readonly agentCores: number;
  readonly agentMemoryMiB: number;
  readonly controllerCores: number;
  readonly controllerMemoryMiB: number;
  readonly databaseCores: number;
  /** Flushes of PostgreSQL's write-ahead log. */
  readonly flushesPerSecond: number;
  /** From all agents to the controller, TLS without the headers of IP and TCP, kbit/s. */
  readonly networkKbits: number;
  /** From the controller to all agents. */
  readonly networkBackKbits: number;
  /** After the retention, without the write-ahead log. */
  readonly diskGiB: number;
  /** The part of `diskGiB` for the checks of the last days, which are not packed. */
  readonly freshGiB: number;
}

/** CPU of an agent for a TCP check, without the wake-ups of its process. */
const agentTcpMs = 0.0763;
/** Cores for wake-ups. Checks that start together share a wake-up, so the cost stops growing at `maxRate` checks/s. */
const wakeUps = { cores: 0.1067, maxRate: 600 } as const;
/** CPU of a check at 1,000 checks/s, relative to TCP (docs/bench.md). */
const methodFactor: Readonly<Record<SizedMethod, number>> = { TCP: 1, HTTP: 2.14, DNS: 1.19, PING: 0.8 };
/** An agent sends a batch after this time, or when it has this many results (apps/agent/src/stream/uploader.ts). */
const batch = { maxSeconds: 0.4, maxResults: 500 } as const;
/** CPU for a result, for a batch, and for a second of an idle system. */
const cpuMs = {
  controller: { result: 0.0203, batch: 2, idle: 18 },
  database: { result: 0.0275, batch: 2.2, idle: 8 },
} as const;
/** Flushes per second for the controller's own work, besides those for batches. */
const idleFlushes = 3;
/** Bytes on the wire: for a result (a mix of Methods), a batch, its ack, and per second for each agent. */
const wireBytes = { result: 155, batch: 40, ack: 112, agent: 18, toAgent: 15 } as const;
/** A stored check with its index, and the same check in a packed day. */
const rowBytes: Readonly<Record<SizedMethod, number>> = { TCP: 106, HTTP: 123, DNS: 110, PING: 122 };
const packedBytes: Readonly<Record<SizedMethod, number>> = { TCP: 9, HTTP: 15.5, DNS: 12, PING: 17 };
/** Overhead of the row of a packed day: with 24 checks a day, a check needs 30.6 bytes. */
const packedDayBytes = 330;
/** Days before checks are packed (VANTAGE_PACK_AFTER_DAYS and the day itself). */
const freshDays = 9;
/** An hour of a device in the roll-ups, with phases and index. */
const rollUpBytes = 420;
const memoryMiB = {
  controller: 250,
  perAgent: 0.46,
  perDevice: 0.0102,
  agent: 88,
  agentPerDevice: 0.0047,
} as const;
const maxAgentMiB = 167;
const daySeconds = 86_400;
const gibibyte = 2 ** 30;

/** Estimates the hardware for a load from measurements. docs/scaling.md has the accuracy. Pure. */
export function sizeOf({ devices, intervalS, retentionDays, agents, method }: SizedLoad): HardwareSize {
  const checksPerSecond = devices / intervalS;
  const checksADay = daySeconds / intervalS;
  const fresh = devices * checksADay * Math.min(freshDays, retentionDays) * rowBytes[method];
  const packedDays = Math.max(0, retentionDays - freshDays);
  const packed = devices * packedDays * (checksADay * packedBytes[method] + packedDayBytes);
  // Roll-ups are kept as long as the device. Two years are assumed.
  const rolled = devices * 24 * 730 * rollUpBytes * Math.min(1, checksADay / 24);
  const devicesPerAgent = devices / Math.max(1, agents);
  const batchesPerSecond = agents * batchesOf(devicesPerAgent / intervalS);
  const work = { results: checksPerSecond, batches: batchesPerSecond };
  return {
    checksPerSecond,
    batchesPerSecond,
    agentCores: agentCoresAt(devicesPerAgent / intervalS, method),
    agentMemoryMiB: Math.min(maxAgentMiB, memoryMiB.agent + devicesPerAgent * memoryMiB.agentPerDevice),
    controllerCores: coresOf('controller', work),
    controllerMemoryMiB: memoryMiB.controller + agents * memoryMiB.perAgent + devices * memoryMiB.perDevice,
    databaseCores: coresOf('database', work),
    flushesPerSecond: batchesPerSecond + idleFlushes,
    networkKbits: kbits(
      checksPerSecond * wireBytes.result + batchesPerSecond * wireBytes.batch + agents * wireBytes.agent,
    ),
    networkBackKbits: kbits(batchesPerSecond * wireBytes.ack + agents * wireBytes.toAgent),
    diskGiB: (fresh + packed + rolled) / gibibyte,
    freshGiB: fresh / gibibyte,
  };
}

/** Cores of a program. `work` is per second. */
export function coresOf(
  program: keyof typeof cpuMs,
  work: { readonly results: number; readonly batches: number },
): number {
  const cost = cpuMs[program];
  return (work.results * cost.result + work.batches * cost.batch + cost.idle) / 1_000;
}

const kbits = (bytes: number) => (bytes * 8) / 1_000;

/** Batches per second of an agent with `rate` results per second. A first result is sent at once. */
function batchesOf(rate: number): number {
  return Math.max(rate / (1 + rate * batch.maxSeconds), rate / batch.maxResults);
}

/** Cores of an agent that runs `rate` checks per second. */
function agentCoresAt(rate: number, method: SizedMethod): number {
  const wakeUpCores = wakeUps.cores * Math.min(1, rate / wakeUps.maxRate);
  return ((rate * agentTcpMs) / 1_000 + wakeUpCores) * methodFactor[method];
}
