// Agents with a backlog of results, as after a cut: how fast it drains, how old new results are meanwhile when they
// are stored, and how long the API takes to answer another account's key. The outboxes are filled before the agents
// start again; the devices are checked every 5 s meanwhile. Usage: node tests/bench/backlog.ts [agents] [devices]
// [records each]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { systemClock as clock, newId } from '@vantage/kernel';
import { CheckResultSchema, OutboxRecordSchema } from '@vantage/proto';
import pg from 'pg';
import { z } from 'zod';
import { openOutbox } from '../../apps/agent/src/outbox/outbox.ts';
import { createApi } from '../harness/api.ts';
import { operate, startAgent } from '../harness/more-agents.ts';
import { repositoryRoot, startSystem } from '../harness/system.ts';
import { createDevices } from './create-devices.ts';
import { type Figure, printFigures, quantile } from './figures.ts';
import { postgresPids, usage } from './processes.ts';
import { startTargets } from './targets.ts';

const agents = Number(process.argv[2] ?? 1);
const devices = Number(process.argv[3] ?? 1_000);
const records = Number(process.argv[4] ?? 360_000);
/** An hour at 1,000 results a second is to drain in a quarter of an hour. */
const goalPerSecond = 3_600_000 / 900;
const maxMs = 1_200_000;
const intervalUs = 5_000_000;

const postgresBefore = new Set(postgresPids());
await using system = await startSystem();
await using targets = await startTargets();
const { database_url: connectionString, base_url: baseUrl, ca_file: caFile, pids } = system.quickstart();
await using resources = new AsyncDisposableStack();
const client = new pg.Client({ connectionString });
await client.connect();
resources.defer(() => client.end());
operate(system, 'accounts', 'create', 'bystander');
const { key } = z
  .object({ key: z.string() })
  .parse(operate(system, 'keys', 'issue', '--account', 'bystander'));
const bystander = createApi({ baseUrl, caFile, key });
resources.defer(async () => bystander.close());

/** Creates the devices of a Location and starts its agent; resolves when the agent checks them. */
async function prepare(name: string) {
  operate(system, 'locations', 'create', name);
  const deviceBody = (n: number) => ({
    Method: 'TCP',
    URL: `127.0.0.1:${targets.webPort}`,
    ShortName: `${name.slice(4)}-${n}`,
    FrequencySeconds: 5,
    Timeout: 3,
    Locations: [name],
  });
  const agent = startAgent(system, name, { name });
  await createDevices(system.api, devices, deviceBody);
  await until(async () => (await deviceNosOf(agent.agentId)).length === devices, `${name} has its devices`);
  await delay(2_000);
  await agent[Symbol.asyncDispose]();
  return { name, agentId: agent.agentId, deviceNos: await deviceNosOf(agent.agentId) };
}

async function deviceNosOf(agentId: string): Promise<number[]> {
  const { rows } = await client.query(
    `select s.device_no from assignment_spans s join agents a using (agent_no) where a.agent_id = $1 and s.to_us is null order by 1`,
    [agentId],
  );
  return rows.map((row) => row.device_no);
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  const endMs = performance.now() + 300_000;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`not within five minutes: ${what}`);
    await delay(500);
  }
}

/** Fills an outbox with results of all devices, the oldest first. */
async function fill(name: string, deviceNos: readonly number[], endUs: number): Promise<void> {
  await using outbox = await openOutbox({
    folder: path.join(system.dataDir, name, 'outbox'),
    maxBytes: 4 * 1024 ** 3,
    clock,
    nowMs: () => Date.now(),
    newId,
    onFault: (text) => process.stderr.write(`${text}\n`),
  });
  const rounds = Math.ceil(records / deviceNos.length);
  const result = { revision: 1, resultCode: 1, checkResult: 'connected', connectMs: 0.4, ttfbMs: 0.7 };
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, deviceNo] of deviceNos.entries()) {
      const spreadUs = Math.floor((at / deviceNos.length) * intervalUs);
      const startUs = BigInt(endUs - (rounds - round) * intervalUs + spreadUs);
      const value = create(CheckResultSchema, { ...result, deviceNo, startUs });
      outbox.append(create(OutboxRecordSchema, { record: { case: 'result', value } }));
    }
    await outbox.flushed();
  }
}

/** Starts an agent that has enrolled before. */
function startAgain(name: string): AsyncDisposable {
  const child = spawn(path.join(repositoryRoot, 'vantage'), ['agent'], {
    cwd: repositoryRoot,
    env: {
      PATH: process.env['PATH'],
      VANTAGE_AGENT_ENDPOINTS: system.quickstart().agent_endpoint,
      VANTAGE_CA_FILE: caFile,
      VANTAGE_AGENT_DATA: path.join(system.dataDir, name),
      VANTAGE_AGENT_OUTBOX_MB: '4096',
      VANTAGE_LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return {
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const prepared: Awaited<ReturnType<typeof prepare>>[] = [];
for (let n = 0; n < agents; n += 1) prepared.push(await prepare(`cut-${n}`));
const spanUs = (records / devices + 10) * intervalUs;
const cutUs = clock.nowUs() - 60_000_000;
await client.query('update devices set created_us = least(created_us, $1)', [cutUs - spanUs]);
await client.query('update assignment_spans set from_us = least(from_us, $1) where to_us is null', [
  cutUs - spanUs,
]);
for (const { name, deviceNos } of prepared) await fill(name, deviceNos, cutUs);
process.stderr.write(`${agents} outboxes with ${records} results each are filled\n`);

const apiMs: number[] = [];
const askApi = async () => {
  const fromMs = performance.now();
  await bystander.ok('GET', '/devices?Limit=100');
  apiMs.push(performance.now() - fromMs);
};
for (let n = 0; n < 40; n += 1) await askApi().then(() => delay(50));
const quietMs = quantile(apiMs.splice(0), 0.99);
const cpuS = () => ({
  controller: usage(pids.controller).cpuS,
  postgres: postgresPids()
    .filter((pid) => !postgresBefore.has(pid))
    .reduce((sum, pid) => sum + usage(pid).cpuS, 0),
});
/** Results of each agent before and after the cut that are stored. */
async function storedOf(): Promise<ReadonlyMap<string, { readonly old: number; readonly fresh: number }>> {
  const { rows } = await client.query<{ id: string; old: number; fresh: number }>(
    `select agent_id as id, count(*) filter (where start_us < $1)::int as old,
       count(*) filter (where start_us >= $2)::int as fresh
     from check_rows join agents using (agent_no) group by 1`,
    [cutUs, beganUs],
  );
  return new Map(rows.map(({ id, old, fresh }) => [id, { old, fresh }]));
}
const cpuBefore = cpuS();
const beganUs = clock.nowUs();
const backlogBefore = await storedOf();
const beganMs = performance.now();
for (const { name } of prepared) resources.use(startAgain(name));
let isDraining = true;
const asking = (async () => {
  while (isDraining) await askApi().then(() => delay(100));
})();
const each = Math.ceil(records / devices) * devices;
const wanted = agents * each;
/** When results of all agents came in, the share of the slowest agent's backlog at half-time, and the end. */
const seen: { allUs?: number; slowest?: number; drainS?: number } = {};
while (seen.drainS === undefined && performance.now() - beganMs < maxMs) {
  const askedMs = performance.now();
  const now = await storedOf();
  const tookMs = performance.now() - askedMs;
  const olds = prepared.map(
    ({ agentId }) => (now.get(agentId)?.old ?? 0) - (backlogBefore.get(agentId)?.old ?? 0),
  );
  const stored = olds.reduce((sum, old) => sum + old, 0);
  if (prepared.every(({ agentId }) => (now.get(agentId)?.fresh ?? 0) > 0)) seen.allUs ??= clock.nowUs();
  if (stored >= wanted / 2) seen.slowest ??= Math.min(...olds) / (stored / agents);
  if (stored >= wanted) seen.drainS = (performance.now() - beganMs) / 1000;
  process.stderr.write(`${Math.round((performance.now() - beganMs) / 1000)} s: ${stored} of ${wanted}\n`);
  // The counting itself takes at most a tenth of the time.
  await delay(Math.max(2_000, tookMs * 10));
}
isDraining = false;
await asking;
const drainS = seen.drainS ?? Number.NaN;
const cpuAfter = cpuS();
// An agent that starts has not connected yet when it makes its first checks.
const fresh = await client.query(
  `select count(*)::int as n,
     percentile_cont(0.5) within group (order by arrived_us - start_us) / 1000 as p50,
     percentile_cont(0.99) within group (order by arrived_us - start_us) / 1000 as p99
   from checks where start_us >= $1`,
  [seen.allUs ?? beganUs],
);
const { p50, p99, n } = fresh.rows[0];
process.stdout.write(
  `${JSON.stringify({ agents, devices, records, drainS, fresh: { n, p50, p99 }, apiMs: { p50: quantile(apiMs, 0.5), p99: quantile(apiMs, 0.99), quietMs } })}\n`,
);
const results = wanted + n;
const cost = { unit: 'ms per 1,000', peer: 'none', theirs: '-', better: 'less' } as const;
const who = `${agents} ${agents === 1 ? 'agent' : 'agents'} with ${records} results each`;
const figures: Figure[] = [
  {
    what: `${who}: backlog`,
    unit: 'stored a second',
    ours: wanted / drainS,
    peer: 'goal',
    theirs: goalPerSecond,
    better: 'more',
  },
  {
    what: `${who}: age of new results when stored, p99`,
    unit: 'ms',
    ours: p99,
    peer: 'p50',
    theirs: p50,
    better: 'less',
  },
  {
    what: `${who}: GET /devices of another account, p99`,
    unit: 'ms',
    ours: quantile(apiMs, 0.99),
    peer: 'before',
    theirs: quietMs,
    better: 'less',
  },
  {
    ...cost,
    what: 'CPU of the controller',
    ours: ((cpuAfter.controller - cpuBefore.controller) / results) * 1e6,
  },
  {
    what: `${who}: what the slowest agent had stored when half of all was`,
    unit: '',
    ours: seen.slowest ?? Number.NaN,
    peer: 'the mean of the agents',
    theirs: 1,
    better: 'more',
  },
  {
    what: 'memory of the controller at the end',
    unit: 'MiB',
    ours: usage(pids.controller).rssMib,
    peer: 'none',
    theirs: '-',
    better: 'less',
  },
  { ...cost, what: 'CPU of PostgreSQL', ours: ((cpuAfter.postgres - cpuBefore.postgres) / results) * 1e6 },
];
printFigures('Backlog after a cut', figures);
