// An installation's cores, memory and flushes beside what `./vantage size` says: agents with the real protocol and
// certificates check devices once a minute, and nothing else happens. Each figure is of a minute, after another one.
// Usage: node tests/bench/sizes.ts [agents:devices …]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePortPair } from '@vantage/testing/free-port';
import pg from 'pg';
import { z } from 'zod';
import { sizeOf } from '../../apps/cli/src/sizing/sizing-model.ts';
import { fillAgents, fillDevices } from '../chaos/thousand/fill.ts';
import { type System, startSystem } from '../harness/system.ts';
import { type Figure, printFigures } from './figures.ts';
import { usage, withChildren } from './processes.ts';
import { readMetrics, seriesSum } from './soak/process-sample.ts';

const seconds = 60;
const asked = process.argv.slice(2);
const sizes = (asked.length > 0 ? asked : ['1:1000', '100:20000', '1000:20000', '100:100000']).map((text) => {
  const [agents = 0, devices = 0] = text.split(':').map(Number);
  return { agents, devices };
});
const report = z.object({ results: z.number(), up: z.number(), devices: z.number() });

async function sums(agents: ChildProcess) {
  const answer = once(agents, 'message');
  agents.send('report');
  return report.parse((await answer)[0]);
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const endMs = performance.now() + 600_000; !(await holds()); await delay(1_000))
    if (performance.now() > endMs) throw new Error(`not within ten minutes: ${what}`);
}

const counters = z.object({ flushes: z.number() });

/** Counters since the system's start. */
async function used(
  system: System,
  {
    client,
    agents,
    metricsPort,
  }: { readonly client: pg.Client; readonly agents: ChildProcess; readonly metricsPort: number },
) {
  const { controller } = system.quickstart().pids;
  const { rows } = await client.query(
    `select sum(fsyncs)::float8 as flushes from pg_stat_io where object = 'wal'`,
  );
  const postmaster = Number(
    readFileSync(path.join(system.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0],
  );
  return {
    ms: performance.now(),
    ...counters.parse(rows[0]),
    results: (await sums(agents)).results,
    batches: seriesSum(await readMetrics(metricsPort), 'vantage_ingest_batch_seconds_count') ?? 0,
    controllerS: usage(controller).cpuS,
    databaseS: withChildren(postmaster).reduce((sum, pid) => sum + usage(pid).cpuS, 0),
  };
}

/** Figures of one size, each a second, and the model's. */
async function measure({ agents: count, devices }: (typeof sizes)[number]): Promise<readonly Figure[]> {
  await using resources = new AsyncDisposableStack();
  const metricsPort = await freePortPair();
  const system = resources.use(
    await startSystem({ env: { VANTAGE_METRICS_PORT: String(metricsPort) }, timeoutMs: 180_000 }),
  );
  const { agent_endpoint: endpoint, ca_file, database_url, pids } = system.quickstart();
  const { identities, locationNames } = await fillAgents(system, {
    agents: count,
    locations: Math.ceil(count / 5),
  });
  await fillDevices(system, { devices, locationNames });
  const file = path.join(system.dataDir, 'agents.json');
  writeFileSync(file, JSON.stringify({ endpoint, ca: readFileSync(ca_file, 'utf8'), identities }), {
    mode: 0o600,
  });
  const agents = fork(path.join(import.meta.dirname, '../chaos/thousand/agents-process.ts'), [file]);
  resources.defer(() => agents.disconnect());
  const client = new pg.Client({ connectionString: database_url });
  await client.connect();
  resources.defer(() => client.end());
  await until(async () => {
    const { up, devices: have } = await sums(agents);
    return up === count && have >= devices;
  }, 'all agents are connected and have their devices');
  await delay(seconds * 1_000);
  const looks = { client, agents, metricsPort };
  const from = await used(system, looks);
  await delay(seconds * 1_000);
  const to = await used(system, looks);
  const inS = (to.ms - from.ms) / 1_000;
  const rate = (name: keyof typeof from) => (to[name] - from[name]) / inS;
  const said = sizeOf({ devices, intervalS: 60, retentionDays: 1, agents: count, method: 'TCP' });
  const figure = (what: string, unit: string, ours: number, theirs: number): Figure => ({
    what: `${what}, ${count} agents with ${devices} devices`,
    unit,
    ours,
    peer: 'vantage size',
    theirs,
    better: 'less',
  });
  return [
    figure('results', 'a second', rate('results'), said.checksPerSecond),
    figure('batches', 'a second', rate('batches'), said.batchesPerSecond),
    figure('controller', 'cores', rate('controllerS'), said.controllerCores),
    figure('controller', 'MiB', usage(pids.controller).rssMib, said.controllerMemoryMiB),
    figure('PostgreSQL', 'cores', rate('databaseS'), said.databaseCores),
    figure('flushes of the WAL', 'a second', rate('flushes'), said.flushesPerSecond),
  ];
}

for (const size of sizes)
  printFigures(
    `${size.agents} agents with ${size.devices} devices that are checked once a minute`,
    await measure(size),
  );
