import { descriptors, portions, postgresPids, usage, withChildren } from '../processes.ts';
import type { ProcessSample, Sample } from './sample.ts';

/** A program with a port for metrics. */
export interface Watched {
  readonly name: string;
  pid(): number;
  readonly metricsPort: number;
}

const mib = 1024 * 1024;

/** The sum of a series over its labels; undefined where it is absent. */
export function seriesSum(text: string, name: string): number | undefined {
  const found = [...text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)`, 'gm'))];
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + Number(value), 0);
}

/** The text of a program's metrics; empty while it does not answer. */
export async function readMetrics(port: number): Promise<string> {
  try {
    const signal = AbortSignal.timeout(5_000);
    return await (await fetch(`http://127.0.0.1:${port}/metrics`, { signal })).text();
  } catch {
    return '';
  }
}

async function sampleProcess(program: Watched): Promise<ProcessSample | undefined> {
  const life = program.pid();
  // The embedded PostgreSQL is a child of the controller that started it.
  const postgres = new Set(postgresPids());
  const all = withChildren(life).filter((each) => !postgres.has(each));
  const rssMib = all.reduce((sum, each) => sum + usage(each).rssMib, 0);
  if (rssMib === 0) return undefined;
  const text = await readMetrics(program.metricsPort);
  const heapBytes = seriesSum(text, 'nodejs_heap_size_used_bytes');
  return {
    life,
    rssMib,
    descriptors: all.reduce((sum, each) => sum + descriptors(each), 0),
    heapMib: heapBytes === undefined ? null : heapBytes / mib,
  };
}

/** The least figures of programs since the last call of `take`. */
export interface ProcessSampler {
  look(): Promise<void>;
  take(): Record<string, ProcessSample>;
}

/** Creates a sampler. It keeps the figures of the latest life of each program. */
export function createProcessSampler(programs: readonly Watched[]): ProcessSampler {
  const least = new Map<string, ProcessSample>();
  return {
    async look() {
      for (const program of programs) {
        const sample = await sampleProcess(program);
        const before = least.get(program.name);
        if (sample !== undefined)
          least.set(program.name, before?.life === sample.life ? lesser(before, sample) : sample);
      }
    },
    take() {
      const taken = Object.fromEntries(least);
      least.clear();
      return taken;
    },
  };
}

function lesser(a: ProcessSample, b: ProcessSample): ProcessSample {
  const less = (one: number | null, other: number | null) =>
    one === null || other === null ? (one ?? other) : Math.min(one, other);
  return {
    life: b.life,
    rssMib: Math.min(a.rssMib, b.rssMib),
    descriptors: Math.min(a.descriptors, b.descriptors),
    heapMib: less(a.heapMib, b.heapMib),
  };
}

/** A PostgreSQL with all its processes. */
export function samplePostgres(postmaster: number): Sample['postgres'] {
  const pids = withChildren(postmaster);
  const all = pids.map((pid) => ({ ...portions(pid), descriptors: descriptors(pid) }));
  const sum = (of: (each: (typeof all)[number]) => number) =>
    all.reduce((total, each) => total + of(each), 0);
  return {
    processes: pids.length,
    pssMib: sum((each) => each.pssMib),
    ownMib: sum((each) => each.ownMib),
    sharedMib: sum((each) => each.sharedMib),
    descriptors: sum((each) => each.descriptors),
  };
}
