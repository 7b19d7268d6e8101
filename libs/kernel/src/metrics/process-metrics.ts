import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { DiskWatch } from '../disk/index.ts';
import { stateSizes } from '../tracked-state.ts';

/** Numbers by the value of one label. Its values must come from a fixed list. */
type ByLabel = () => Readonly<Record<string, number>>;

/**
 * The series of one process: those of Node (heap, event loop, garbage collection) and those that its parts add. Names
 * follow Prometheus' conventions.
 */
export interface ProcessMetrics {
  /** A number that rises and falls, read at each scrape. undefined: there is none now. */
  readonly gauge: (name: string, help: string, read: () => number | undefined) => void;
  /** A number that only grows, by one label, read at each scrape. */
  counter(name: string, help: string, label: string, read: ByLabel): void;
  /** A histogram of durations; the result adds one. */
  durations(name: string, help: string, label: string): (value: string, ms: number) => void;
  /** Runs before each scrape. After a failure the earlier numbers stay. */
  beforeScrape(update: () => Promise<void>): void;
  /** All series in the text format 0.0.4. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Gauges of prom-client that have the names of counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];
const bucketsS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the series of this process; `program` and `version` are labels of `vantage_build_info`. */
export function createProcessMetrics(build: {
  readonly program: string;
  readonly version: string;
}): ProcessMetrics {
  const registry = new Registry();
  const registers = [registry];
  const updates: (() => Promise<void>)[] = [];
  let isWatched = false;
  /** Node's measurements cost a little all the time, so they begin with the first scrape. */
  const watchNode = () => {
    if (isWatched) return;
    isWatched = true;
    collectDefaultMetrics({ register: registry });
    for (const name of misnamed) registry.removeSingleMetric(name);
  };
  new Gauge({
    name: 'vantage_build_info',
    help: '1; the labels name the program and its version.',
    labelNames: ['program', 'version'],
    registers,
  }).set(build, 1);
  addStateSizes(registers);
  return {
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          const value = read();
          this.reset();
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    },
    counter(name, help, label, read) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, count] of Object.entries(read())) this.inc({ [label]: value }, count);
        },
      });
    },
    durations(name, help, label) {
      const histogram = new Histogram({ name, help, labelNames: [label], buckets: bucketsS, registers });
      return (value, ms) => histogram.observe({ [label]: value }, ms / 1000);
    },
    beforeScrape: (update) => void updates.push(update),
    async text() {
      watchNode();
      await Promise.allSettled(updates.map((update) => update()));
      return registry.metrics();
    },
    contentType: registry.contentType,
  };
}

/** The bytes of the program's states; `docs/memory.md` has the bounds. */
function addStateSizes(registers: Registry[]): void {
  const labelNames = ['state'];
  new Gauge({
    name: 'vantage_state_bytes',
    help: 'Bytes that a state of this process takes at most now, by the greatest size of an entry.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, bytes } of stateSizes()) this.set({ state: name }, bytes);
    },
  });
  new Gauge({
    name: 'vantage_state_bound_bytes',
    help: 'The most bytes that a state of this process can take.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, boundBytes } of stateSizes())
        if (boundBytes !== undefined) this.set({ state: name }, boundBytes);
    },
  });
}

/** Adds the series of the disk that a process writes to. */
export function watchDisk({ gauge }: Pick<ProcessMetrics, 'gauge'>, disk: Pick<DiskWatch, 'space'>): void {
  const free = 'Bytes that are left on the disk of the data.';
  gauge('vantage_disk_free_bytes', free, () => disk.space?.freeBytes);
  gauge('vantage_disk_size_bytes', 'Size of the disk of the data.', () => disk.space?.totalBytes);
}
