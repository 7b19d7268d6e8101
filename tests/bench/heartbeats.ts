// Calls of jobs to one controller with PostgreSQL on the same processors: calls a second that are stored, the time of
// an answer, and the CPU. Usage: node tests/bench/heartbeats.ts [calls a second] [seconds] [devices]
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { startSystem } from '../harness/system.ts';
import { bounded, printFigures, quantile } from './figures.ts';
import { postgresPids, usage } from './processes.ts';

const [perSecond = 1_000, seconds = 30, devices = 2_000] = process.argv.slice(2).map(Number);

const before = new Set(postgresPids());
await using system = await startSystem();
const quickstart = system.quickstart();
const created = z.object({ Results: z.array(z.object({ Body: z.object({ PushURL: z.string() }) })) });
const urls: string[] = [];
for (let i = 0; i < devices; i += 500) {
  const Operations = Array.from({ length: Math.min(500, devices - i) }, (_, j) => ({
    Method: 'POST',
    Path: '/devices',
    Body: { Method: 'Push', URL: 'push:', ShortName: `job-${i + j}`, Frequency: 60 },
  }));
  const { Results } = created.parse(await system.api.ok('POST', '/batch', { Atomic: true, Operations }));
  urls.push(...Results.map(({ Body }) => Body.PushURL));
}

const agent = new Agent({ ca: readFileSync(quickstart.ca_file), keepAlive: true, maxSockets: 100 });
const times: number[] = [];
const statuses = new Map<number, number>();

function send(url: string): Promise<void> {
  const from = performance.now();
  return new Promise((resolve) => {
    const end = (status: number) => {
      times.push(performance.now() - from);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      resolve();
    };
    const outgoing = request(url, { method: 'POST', agent }, (answer) => {
      answer.resume();
      answer.on('end', () => end(answer.statusCode ?? 0));
    });
    outgoing.on('error', () => end(0));
    outgoing.end('done');
  });
}

const cpu = () => ({
  controller: usage(quickstart.pids.controller).cpuS,
  postgres: postgresPids()
    .filter((pid) => !before.has(pid))
    .reduce((sum, pid) => sum + usage(pid).cpuS, 0),
});
const start = cpu();
const fromMs = performance.now();
const open: Promise<void>[] = [];
for (let sent = 0; sent < perSecond * seconds; ) {
  const due = Math.min(perSecond * seconds, ((performance.now() - fromMs) / 1000) * perSecond);
  for (; sent < due; sent += 1) open.push(send(urls[sent % urls.length] ?? ''));
  await delay(5);
}
await Promise.all(open);
const tookS = (performance.now() - fromMs) / 1000;
const end = cpu();
agent.destroy();

const client = new pg.Client({ connectionString: quickstart.database_url });
await client.connect();
const { rows } = await client.query<{ n: number }>(
  'select count(*)::int as n from check_rows where agent_no = 0',
);
await client.end();
const answered = statuses.get(200) ?? 0;
const none = { peer: '', theirs: '-', better: 'less' } as const;
printFigures(`${perSecond} calls of jobs a second, ${devices} devices`, [
  { what: 'answered', unit: '1/s', ours: answered / tookS, peer: 'sent', theirs: perSecond, better: 'more' },
  bounded('answered but not stored', '', Math.max(0, answered - (rows[0]?.n ?? 0)), 0),
  bounded('refused or failed', '', times.length - answered, 0),
  { what: 'answer p50', unit: 'ms', ours: quantile(times, 0.5), ...none },
  { what: 'answer p99', unit: 'ms', ours: quantile(times, 0.99), ...none },
  {
    what: 'CPU of the controller',
    unit: '%',
    ours: ((end.controller - start.controller) / tookS) * 100,
    ...none,
  },
  { what: 'CPU of PostgreSQL', unit: '%', ours: ((end.postgres - start.postgres) / tookS) * 100, ...none },
]);
