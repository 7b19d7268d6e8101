// A load of 10,000 devices in one Location with Frequency 1 (167 checks a second) on TCP loopback targets, a tenth of
// which refuses at any time. Prints figures as JSON: lateness, lost checks, CPU and memory of each process, GET
// /devices?Limit=100 and uptime over a year at that size. Usage: node tests/bench/load.ts [devices] [seconds]
import { execFileSync, fork } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startSystem } from '../harness/system.ts';
import { printFigures, quantile } from './figures.ts';
import { postgresPids, usage } from './processes.ts';

const devices = Number(process.argv[2] ?? 10_000);
const seconds = Number(process.argv[3] ?? 300);
const ports = 100;

const round = (value: number) => Math.round(value * 100) / 100;

const before = new Set(postgresPids());
await using system = await startSystem();
const quickstart = system.quickstart();
const targets = fork(path.join(import.meta.dirname, 'target-process.ts'), [String(ports)], {
  stdio: 'inherit',
});
const targetPorts = await new Promise<number[]>((resolve) => {
  targets.once('message', (message) => resolve((message as { ports: number[] }).ports));
});

const createdFrom = performance.now();
for (let i = 0; i < devices; i += 100) {
  await Promise.all(
    Array.from({ length: Math.min(100, devices - i) }, (_, j) =>
      system.api.ok('POST', '/devices', {
        Method: 'TCP',
        URL: `127.0.0.1:${targetPorts[(i + j) % ports]}`,
        ShortName: `d${i + j}`,
        Frequency: 1,
        Timeout: 5,
      }),
    ),
  );
}
const createSeconds = (performance.now() - createdFrom) / 1000;
const client = new pg.Client({ connectionString: quickstart.database_url });
await client.connect();
// Wait for the first checks, because the figures describe the steady state.
await delay(70_000);

const processes = () => ({
  agent: usage(quickstart.pids.agent),
  controller: usage(quickstart.pids.controller),
  postgres: postgresPids()
    .filter((pid) => !before.has(pid))
    .map(usage)
    .reduce((sum, one) => ({ cpuS: sum.cpuS + one.cpuS, rssMib: sum.rssMib + one.rssMib }), {
      cpuS: 0,
      rssMib: 0,
    }),
});
const start = processes();
const fromUs = Date.now() * 1000;
targets.send('mark');
const listMs: number[] = [];
const until = performance.now() + seconds * 1000;
while (performance.now() < until) {
  const at = performance.now();
  await system.api.ok(
    'GET',
    `/devices?Limit=100&Offset=${Math.floor(Math.random() * Math.max(1, devices - 100))}`,
  );
  listMs.push(performance.now() - at);
  await delay(500);
}
const toUs = Date.now() * 1000;
const end = processes();
const hits = await new Promise<number>((resolve) => {
  targets.once('message', (message) => resolve((message as { hits: number }).hits));
  targets.send('count');
});
await delay(15_000);
const rows = await client.query(
  `select count(*)::int as n, count(*) filter (where code = 1)::int as ok, count(*) filter (where attempt = 0)::int as ordinary,
     percentile_cont(0.5) within group (order by block_ms) as p50, percentile_cont(0.99) within group (order by block_ms) as p99,
     max(block_ms) as worst from checks where start_us >= $1 and start_us < $2`,
  [fromUs, toUs],
);
const wrong = await client.query(
  `select device_no, count(*)::int as n from checks where start_us >= $1 and start_us < $2 and attempt = 0 group by 1
   having count(*) < $3`,
  [fromUs, toUs, Math.floor(seconds / 60)],
);
const uptimeMs = await yearOfUptime();
const row = rows.rows[0];
const share = (name: 'agent' | 'controller' | 'postgres') => ({
  cpuPercentOfOneCore: round(((end[name].cpuS - start[name].cpuS) / seconds) * 100),
  cpuMsPerCheck: round(((end[name].cpuS - start[name].cpuS) / row.n) * 1000),
  rssMib: round(end[name].rssMib),
});
const better = 'more';
printFigures('The whole system', [
  {
    what: 'checks in their turn',
    unit: '',
    ours: row.ordinary,
    better,
    peer: 'what was due',
    theirs: Math.round((devices * seconds) / 60),
  },
  {
    what: 'checks that found their target',
    unit: '',
    ours: row.ok,
    better,
    peer: 'connections that the targets counted',
    theirs: hits,
  },
]);
process.stdout.write(
  `${JSON.stringify(
    {
      devices,
      seconds,
      createSeconds: round(createSeconds),
      checks: row.n,
      ordinaryChecks: row.ordinary,
      expectedOrdinary: Math.round((devices * seconds) / 60),
      checksPerSecond: round(row.n / seconds),
      latenessMs: { p50: round(row.p50), p99: round(row.p99), max: round(row.worst) },
      hitsAtTargets: hits,
      okRows: row.ok,
      devicesWithMissedChecks: wrong.rowCount,
      listMs: { p50: round(quantile(listMs, 0.5)), p99: round(quantile(listMs, 0.99)) },
      uptimeYearMs: uptimeMs,
      agent: share('agent'),
      controller: share('controller'),
      postgres: share('postgres'),
      loadavg: execFileSync('cat', ['/proc/loadavg'], { encoding: 'utf8' }).trim(),
    },
    null,
    2,
  )}\n`,
);
await client.end();
targets.send('end');

/** Gives one device a year of history (a transition every six hours) and times the uptime route over it. */
async function yearOfUptime(): Promise<{ p50: number; p99: number; intervals: number }> {
  const device = await client.query(`select device_no, device_id from devices order by device_no limit 1`);
  const { device_no: deviceNo, device_id: deviceId } = device.rows[0];
  const yearUs = 365 * 86_400e6;
  const nowUs = Date.now() * 1000;
  await client.query(`update devices set created_us = $2 where device_no = $1`, [deviceNo, nowUs - yearUs]);
  await client.query(
    `insert into status_intervals (device_no, from_us, status)
     select $1, $2::bigint + i * 21600000000, case when i % 2 = 0 then 'Up' else 'Down' end from generate_series(0, 1459) i`,
    [deviceNo, nowUs - yearUs],
  );
  await client.query(
    `insert into coverage (agent_no, from_us, to_us) select agent_no, $1, $2 from agents limit 1 on conflict do nothing`,
    [nowUs - yearUs, nowUs - 3_600e6],
  );
  const from = new Date((nowUs - yearUs) / 1000).toISOString();
  const times: number[] = [];
  for (let i = 0; i < 200; i += 1) {
    const at = performance.now();
    await system.api.ok('GET', `/devices/${deviceId}/uptime?Timestamp1=${from}`);
    times.push(performance.now() - at);
  }
  return { p50: round(quantile(times, 0.5)), p99: round(quantile(times, 0.99)), intervals: 1460 };
}
