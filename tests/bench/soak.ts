// Eight hours of the checks of 1,000 devices in one: their intervals are ten times shorter, all else has its true
// time. Memory, descriptors, tables, indexes, partitions and WAL of the whole system are sampled each minute, and what
// grows without a reason ends the run with exit code 1. Usage: node tests/bench/soak.ts [minutes] [devices]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { daysWanted } from '@vantage/storage/partition-days';
import { freePort, freePortPair } from '@vantage/testing/free-port';
import { z } from 'zod';
import { whyNoPing } from '../../libs/icmp/src/index.ts';
import { startAgent } from '../harness/more-agents.ts';
import { startSystem } from '../harness/system.ts';
import { startFakeWebhookReceiver } from '../lab/fake-webhook-receiver.ts';
import { killPart } from './kill-part.ts';
import { openDatabaseReader } from './soak/database-sample.ts';
import { compareDue } from './soak/due-checks.ts';
import { createProcessSampler, readMetrics, samplePostgres, seriesSum } from './soak/process-sample.ts';
import { judgeRun, printRun, type SoakEnd } from './soak/report.ts';
import type { Sample } from './soak/sample.ts';
import { createDevices, notifyWebhook, startTraffic } from './soak/traffic.ts';
import { startTargets } from './targets.ts';

const minutes = Number(process.argv[2] ?? 60);
const devices = Number(process.argv[3] ?? 1_000);
const scale = 10;
const intervalMs = 60_000 / scale;
const lookEveryMs = 10_000;
const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: String(scale) };
const file = path.join(tmpdir(), `vantage-soak-${process.pid}.jsonl`);
const keep = (line: unknown) => appendFileSync(file, `${JSON.stringify(line)}\n`);

async function forkTargets(resources: AsyncDisposableStack, name: string, args: readonly string[] = []) {
  const child = fork(path.join(import.meta.dirname, `${name}.ts`), args, { stdio: 'inherit' });
  resources.defer(() => child.disconnect());
  const [message] = await once(child, 'message');
  return { child, message };
}

/** Files below a folder, and their bytes; those that vanish meanwhile do not count. */
function filesBelow(folder: string): { readonly files: number; readonly bytes: number } {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((each) =>
    each.isFile(),
  );
  const bytes = entries.reduce(
    (sum, each) =>
      sum + (statSync(path.join(each.parentPath, each.name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  return { files: entries.length, bytes };
}

await using resources = new AsyncDisposableStack();
const metricsPort = await freePortPair();
const secondPort = await freePort();
const system = resources.use(
  await startSystem({
    env: { ...fast, VANTAGE_METRICS_PORT: String(metricsPort), VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true' },
    timeoutMs: 500_000,
  }),
);
const second = resources.use(
  startAgent(system, 'local', {
    name: 'agent-2',
    env: { ...fast, VANTAGE_METRICS_PORT: String(secondPort) },
  }),
);
const folders = ['agent', 'agent-2'].map((name) => path.join(system.dataDir, name));
const postmaster = Number(
  readFileSync(path.join(system.dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0],
);
const reader = resources.use(await openDatabaseReader(system.quickstart().database_url));
const sampler = createProcessSampler([
  { name: 'controller', pid: () => system.quickstart().pids.controller, metricsPort },
  { name: 'agent', pid: () => system.quickstart().pids.agent, metricsPort: metricsPort + 1 },
  { name: 'second agent', pid: () => second.process.pid ?? 0, metricsPort: secondPort },
]);

const targets = resources.use(await startTargets());
const turning = await forkTargets(resources, 'target-process', ['50']);
const swinging = await forkTargets(resources, 'swinging-target');
const to = {
  web: targets.webPort,
  swinging: z.number().parse(swinging.message),
  dns: typeof targets.dnsPort === 'number' ? targets.dnsPort : undefined,
  pings: whyNoPing() === undefined,
  turning: z.object({ ports: z.array(z.number()) }).parse(turning.message).ports,
};
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const receiver = resources.use(await startFakeWebhookReceiver(secret));
await notifyWebhook(system.api, receiver.url, secret);
const ids = await createDevices(system.api, devices, to);
const { base_url: base, ca_file: ca, api_key_ur: key } = system.quickstart();
const pages = fork(path.join(import.meta.dirname, 'open-pages.ts'), [base, key, '3'], {
  env: { ...process.env, NODE_EXTRA_CA_CERTS: ca },
});
resources.defer(() => pages.disconnect());
await once(pages, 'message');
process.stdout.write(`${devices} devices; samples go to ${file}\n`);

/** Events that the pages got, and requests of theirs, since the last call. */
async function countPages() {
  pages.send('count');
  const [message] = await once(pages, 'message');
  return z.object({ events: z.number(), requests: z.number(), failures: z.number() }).parse(message);
}

const beganMs = performance.now();
const hoursSince = () => (performance.now() - beganMs) / 3_600_000;

async function sample(): Promise<Sample> {
  const outboxes = folders.map((folder) => filesBelow(path.join(folder, 'outbox')));
  const metrics = await Promise.all([metricsPort + 1, secondPort].map(readMetrics));
  const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0);
  return {
    at: hoursSince(),
    processes: sampler.take(),
    postgres: samplePostgres(postmaster),
    outbox: {
      files: sum(outboxes.map(({ files }) => files)),
      bytes: sum(outboxes.map(({ bytes }) => bytes)),
      records: sum(metrics.map((text) => seriesSum(text, 'vantage_outbox_records') ?? 0)),
    },
    logBytes: filesBelow(path.join(system.dataDir, 'log')).bytes,
    webhooks: receiver.hooks.length,
    streamed: (await countPages()).events,
    ...(await reader.read(Date.now() * 1_000)),
  };
}

const ending = new AbortController();
const traffic = startTraffic(system.api, ids, to, ending.signal);
const restarts: SoakEnd['restarts'] = [];

/** Ends a part, so that it is started again, and notes the time. */
async function restart(part: 'agent' | 'controller', signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const fromMs = Date.now();
  await killPart(system, part, signal);
  restarts.push({ part, fromMs, toMs: Date.now() });
  process.stdout.write(`${signal} for the ${part}: it runs again after ${Date.now() - fromMs} ms\n`);
}

/** When parts are started again, shares of the run: after the warm-up, and with time to warm up again. */
const incidents: [at: number, act: () => Promise<void>][] = [
  [0.35, () => restart('agent', 'SIGTERM')],
  [0.42, () => restart('controller', 'SIGKILL')],
];
const settledMs = Date.now() + 30_000;
const samples: Sample[] = [];
for (let minute = 1; minute <= minutes; minute += 1) {
  for (let look = 1; look * lookEveryMs <= 60_000; look += 1) {
    await delay(Math.max(0, beganMs + (minute - 1) * 60_000 + look * lookEveryMs - performance.now()));
    await sampler.look();
  }
  const taken = await sample();
  samples.push(taken);
  keep(taken);
  process.stdout.write(`minute ${minute}: ${lineOf(taken)}\n`);
  const [next] = incidents;
  if (next !== undefined && minute >= next[0] * minutes) {
    incidents.shift();
    await next[1]();
  }
}

/** A sample in short. */
function lineOf({ processes, postgres, tables, latenessMs, outbox }: Sample): string {
  const memory = Object.entries(processes).map(([name, { rssMib }]) => `${name} ${rssMib.toFixed(0)} MiB`);
  const checks = tables.find(({ table }) => table === 'check_rows')?.liveRows ?? 0;
  const late = `p99 ${latenessMs.p99?.toFixed(1)} ms late`;
  const { received, requests, failed } = {
    received: receiver.hooks.length,
    requests: traffic.counts.requests,
    failed: traffic.counts.failures.length,
  };
  return `${memory.join(', ')}, PostgreSQL ${postgres.pssMib.toFixed(0)} MiB, ${checks} checks, ${late}, ${outbox.records} in outboxes, ${received} webhooks, ${requests} requests, ${failed} failed`;
}

const toMs = Date.now() - 10_000;
ending.abort(new Error('the run is over'));
await traffic.ended;
await delay(20_000);
const facts = z
  .object({
    skipped: z.number(),
    lost: z.number(),
    quarantined: z.number(),
    reasons: z.array(z.string()),
    waiting: z.number(),
  })
  .parse(
    (
      await reader.client.query(`select (select coalesce(sum(checks_skipped), 0) from agents)::float8 as skipped,
      (select coalesce(sum(dropped_results), 0) from gaps)::float8 as lost,
      (select count(*) from quarantined)::float8 as quarantined,
      (select coalesce(array_agg(distinct reason), '{}') from quarantined)::text[] as reasons,
      (select count(*) from notifications where state = 'Pending')::float8 as waiting`)
    ).rows[0],
  );
const { waiting, ...counted } = facts;
const hookIds = receiver.hooks.map(({ id }) => id);
const end: SoakEnd = {
  minutes,
  devices,
  intervalMs,
  partitions: daysWanted(Date.now() * 1_000, 35).length + 1,
  restarts,
  checks: {
    ...(await compareDue(reader.client, { ids, fromMs: settledMs, toMs, intervalMs })),
    ...counted,
  },
  requests: traffic.counts.requests,
  failures: traffic.counts.failures,
  webhooks: {
    received: hookIds.length,
    repeated: hookIds.length - new Set(hookIds).size,
    faults: [...receiver.faults],
    waiting,
  },
};
keep(end);
if (!printRun(judgeRun(samples, end), end)) process.exitCode = 1;
