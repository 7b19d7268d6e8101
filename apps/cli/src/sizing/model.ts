/** The load that an installation is sized for. */
export interface Load {
  readonly devices: number;
  /** Seconds between two checks of a device. */
  readonly intervalS: number;
  /** Days that single checks are kept. */
  readonly retentionDays: number;
  readonly agents: number;
  readonly method: SizedMethod;
}

/** Methods whose cost was measured; the others lie between TCP and HTTP. */
export const sizedMethods = ['TCP', 'HTTP', 'DNS', 'PING'] as const;
export type SizedMethod = (typeof sizedMethods)[number];

/** The hardware that a load needs. Cores are those of the machine of docs/bench.md, fully used. */
export interface Size {
  readonly checksPerSecond: number;
  /** In which the agents send the results; each is one transaction. */
  readonly batchesPerSecond: number;
  /** Of each agent. */
  readonly agentCores: number;
  readonly agentMemoryMiB: number;
  readonly controllerCores: number;
  readonly controllerMemoryMiB: number;
  readonly databaseCores: number;
  /** Times that PostgreSQL waits until its write-ahead log is on the disk. */
  readonly flushesPerSecond: number;
  /** All agents to the controller and back, in TLS without the headers of IP and TCP, kbit a second. */
  readonly networkKbits: number;
  readonly networkBackKbits: number;
  /** After the retention, without the write-ahead log. */
  readonly diskGiB: number;
  /** Of it the checks of the last days, which are rows. */
  readonly freshGiB: number;
}

/** CPU of an agent for a TCP check, milliseconds, without the wakes of its process. */
const agentTcpMs = 0.0763;
/** Cores that the wakes cost: checks that start together share one, so they stop growing at some hundred a second. */
const wakes = { cores: 0.1067, allAtRate: 600 } as const;
/** CPU of a check at 1,000 a second, compared with TCP (docs/bench.md). */
const methodFactor: Readonly<Record<SizedMethod, number>> = { TCP: 1, HTTP: 2.14, DNS: 1.19, PING: 0.8 };
/** An agent gathers new results for so long, or until they are so many (apps/agent/src/stream/uploader.ts). */
const gather = { s: 0.4, results: 500 } as const;
/** CPU of a result, of its batch, and of an idle system a second, milliseconds. */
const cpuMs = {
  controller: { result: 0.0203, batch: 2, idle: 18 },
  database: { result: 0.0275, batch: 2.2, idle: 8 },
} as const;
/** A batch is a transaction; the others are of the controller's own work. */
const idleFlushes = 3;
/** Bytes on the wire: of a result (HTTP, TCP, DNS and PING mixed), a batch and its ack, and of an agent a second. */
const wireBytes = { result: 155, batch: 40, ack: 112, agent: 18, toAgent: 15 } as const;
/** A stored check with its index, and the same check packed, bytes. */
const rowBytes: Readonly<Record<SizedMethod, number>> = { TCP: 106, HTTP: 123, DNS: 110, PING: 122 };
const packedBytes: Readonly<Record<SizedMethod, number>> = { TCP: 9, HTTP: 15.5, DNS: 12, PING: 17 };
/** The row of a packed day costs so much beside its columns: at 24 checks a day a check needs 30.6 bytes. */
const packedDayBytes = 330;
/** Days whose checks are rows before they are packed (VANTAGE_PACK_AFTER_DAYS, and the day itself). */
const freshDays = 9;
/** An hour of a device in the roll-ups, with its phases and index. */
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

/** Works out what a load needs, from what was measured (docs/scaling.md says how well). Pure. */
export function sizeOf({ devices, intervalS, retentionDays, agents, method }: Load): Size {
  const checksPerSecond = devices / intervalS;
  const checksADay = daySeconds / intervalS;
  const fresh = devices * checksADay * Math.min(freshDays, retentionDays) * rowBytes[method];
  const packedDays = Math.max(0, retentionDays - freshDays);
  const packed = devices * packedDays * (checksADay * packedBytes[method] + packedDayBytes);
  // Roll-ups stay as long as the device; two years are counted.
  const rolled = devices * 24 * 730 * rollUpBytes * Math.min(1, checksADay / 24);
  const ofAgent = devices / Math.max(1, agents);
  const batchesPerSecond = agents * batchesOf(ofAgent / intervalS);
  const work = { results: checksPerSecond, batches: batchesPerSecond };
  return {
    checksPerSecond,
    batchesPerSecond,
    agentCores: agentCoresAt(ofAgent / intervalS, method),
    agentMemoryMiB: Math.min(maxAgentMiB, memoryMiB.agent + ofAgent * memoryMiB.agentPerDevice),
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

/** Cores of a program at so many results and batches a second. */
export function coresOf(
  program: keyof typeof cpuMs,
  work: { readonly results: number; readonly batches: number },
): number {
  const { result, batch, idle } = cpuMs[program];
  return (work.results * result + work.batches * batch + idle) / 1_000;
}

const kbits = (bytes: number) => (bytes * 8) / 1_000;

/** Batches a second of an agent with so many results a second: one at once, the next after the gathering. */
function batchesOf(rate: number): number {
  return Math.max(rate / (1 + rate * gather.s), rate / gather.results);
}

/** Cores of an agent that runs so many checks a second. */
function agentCoresAt(rate: number, method: SizedMethod): number {
  const woken = wakes.cores * Math.min(1, rate / wakes.allAtRate);
  return ((rate * agentTcpMs) / 1_000 + woken) * methodFactor[method];
}
