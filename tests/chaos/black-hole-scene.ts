// A path between an agent and its controller that drops large packets without a word. It runs in the controller's
// namespace; black-hole.test.ts makes the network around it. It prints its report as one JSON line. Usage:
// black-hole-scene.ts TAG DATABASE_URL
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { z } from 'zod';
import { inside, ip } from '../harness/netns.ts';
import { repositoryRoot, startSystem } from '../harness/system.ts';
import { fast } from './one-second-devices.ts';

const [, , tag = '', databaseUrl = ''] = process.argv;
const devices = 30;
const holeMs = 60_000;
const agentHost = '10.213.1.2';
const vantage = path.join(repositoryRoot, 'vantage');
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-hole-'));
const token = z.object({ token: z.string() });

const targets = spawn(
  'ip',
  inside(`vt${tag}a`, process.execPath, path.join(import.meta.dirname, 'target-host.ts'), agentHost, '1'),
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const port = await new Promise<number>((resolve) => {
  createInterface({ input: targets.stdout }).once('line', (line) =>
    resolve(z.array(z.number()).parse(JSON.parse(line))[0] ?? 0),
  );
});
const more = {
  VANTAGE_LISTEN: '0.0.0.0',
  VANTAGE_TLS_NAMES: '10.213.0.2',
  VANTAGE_DATABASE_URL: databaseUrl,
};
await using system = await startSystem({ env: { ...fast, ...more } });
const { agent_endpoint, ca_file } = system.quickstart();
const cli = (...args: string[]): unknown =>
  JSON.parse(
    execFileSync(vantage, [...args, '--json'], {
      encoding: 'utf8',
      cwd: repositoryRoot,
      env: { ...process.env, VANTAGE_DATA: system.dataDir, VANTAGE_DATABASE_URL: databaseUrl },
    }),
  );
cli('locations', 'create', 'far');
let log = '';
const agent = spawn('ip', inside(`vt${tag}a`, vantage, 'agent'), {
  cwd: repositoryRoot,
  env: {
    PATH: process.env['PATH'],
    ...fast,
    VANTAGE_AGENT_ENDPOINTS: `https://10.213.0.2:${new URL(agent_endpoint).port}`,
    VANTAGE_AGENT_TOKEN: token.parse(cli('agents', 'invite', '--location', 'far', '--no-check')).token,
    VANTAGE_CA_FILE: ca_file,
    VANTAGE_AGENT_DATA: path.join(folder, 'agent'),
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});
agent.stderr.on('data', (chunk: Buffer) => {
  log += chunk.toString('utf8');
});

/** Packets of more than 1,200 bytes disappear, and so do the router's words about it. */
function hole(verb: 'begin' | 'end'): void {
  const router = `vt${tag}r`;
  ip('-n', router, 'link', 'set', `v${tag}0`, 'mtu', verb === 'begin' ? '1200' : '1500');
  const rules = `table inet hole {
  chain out { type filter hook output priority 0; icmp type destination-unreachable drop; }
}`;
  execFileSync('ip', inside(router, 'nft', '-f', '-'), {
    input: verb === 'begin' ? rules : 'delete table inet hole',
  });
}

const found = z.object({
  checks: z.number(),
  newestMs: z.number(),
  holeMs: z.number(),
  bad: z.number(),
  gaps: z.number(),
});
/** `newestMs`: age of the newest check. `holeMs`: the longest time between two checks of a device. */
const read = () =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(`
      with steps as (select start_us, start_us - lag(start_us) over (partition by device_no order by start_us) as step from checks)
      select count(*)::int as checks, coalesce(max(step), 0)::float8 / 1000 as "holeMs",
        extract(epoch from clock_timestamp())::float8 * 1000 - coalesce(max(start_us), 0)::float8 / 1000 as "newestMs",
        (select count(*) from events where type = 'Down')::int as bad, (select count(*) from gaps)::int as gaps from steps`);
    return found.parse(rows[0]);
  });

async function until(holds: (now: z.output<typeof found>) => boolean): Promise<number> {
  const fromMs = performance.now();
  while (!holds(await read())) {
    if (performance.now() - fromMs > 150_000) throw new Error(`still ${JSON.stringify(await read())}`);
    await delay(250);
  }
  return Math.round(performance.now() - fromMs);
}

try {
  for (let i = 0; i < devices; i += 1)
    await system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: `${agentHost}:${port}`,
      ShortName: `d${i}`,
      Frequency: 1,
      Timeout: 5,
      Locations: ['far'],
    });
  await until(({ checks }) => checks > 5 * devices);
  const before = log.length;
  hole('begin');
  await delay(holeMs);
  const during = await read();
  const said = log
    .slice(before)
    .split('\n')
    .filter((line) => line.includes('no connection') || line.includes('"level":40'))
    .slice(0, 3);
  hole('end');
  const backMs = await until(({ newestMs }) => newestMs < 5_000);
  await delay(5_000);
  process.stdout.write(`${JSON.stringify({ during, backMs, after: await read(), said })}\n`);
} finally {
  agent.kill('SIGTERM');
  targets.stdin.end();
  await delay(2_000);
  rmSync(folder, { recursive: true, force: true });
}
