// One controller of two is cut off from the database without a word, for two minutes, and goes on to see its agents.
// This runs in its namespace; lost-database.test.ts makes the network around it and compares the report, one JSON line.
// Usage: cut-controller-scene.ts TAG
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { programEnv } from '@vantage/kernel/testing';
import { withClient } from '@vantage/testing/postgres-url';
import { z } from 'zod';
import { createApi } from '../harness/api.ts';
import { startPrimary } from '../harness/database-servers.ts';
import { inside } from '../harness/netns.ts';
import { repositoryRoot, startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { notifyEverybody } from './clock-scene.ts';
import { addressOf, placeServer, setPath } from './database-hosts.ts';

const [, , tag = ''] = process.argv;
const devices = 10;
const cutMs = 120_000;
const limitMs = 240_000;
const [httpsPort, agentPort] = [8443, 8444];
const vantage = path.join(repositoryRoot, 'vantage');

await using stack = new AsyncDisposableStack();
const folder = mkdtempSync(path.join(tmpdir(), 'vantage-cut-'));
stack.defer(() => rmSync(folder, { recursive: true, force: true }));
const primary = await startPrimary();
stack.defer(() => primary.kill());
stack.use(await placeServer(tag, 'p', primary));
const url = `postgres://vantage@${addressOf('p')}:5432/postgres`;
const listens = (host: 'c' | 'd') => ({
  VANTAGE_LISTEN: '0.0.0.0',
  VANTAGE_TLS_NAMES: addressOf(host),
  VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true',
});
const system = stack.use(await startSystem({ env: { VANTAGE_DATABASE_URL: url, ...listens('c') } }));
const quickstart = system.quickstart();
const key = path.join(system.dataDir, 'secret.key');

/** Starts a program in a namespace, and ends it with the scene. */
function start(host: 'd' | 'a', program: string, env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn('ip', inside(`vt${tag}${host}`, vantage, program), {
    cwd: repositoryRoot,
    env: { ...programEnv(), ...env },
    stdio: 'ignore',
  });
  stack.defer(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  });
  return child;
}
const operate = (...args: string[]): unknown =>
  JSON.parse(
    execFileSync(vantage, [...args, '--json'], {
      encoding: 'utf8',
      cwd: repositoryRoot,
      env: { ...programEnv(), VANTAGE_DATA: system.dataDir, VANTAGE_DATABASE_URL: url },
    }),
  );
operate('locations', 'create', 'far');
const invited = operate('agents', 'invite', '--location', 'far', '--no-check');
start('a', 'agent', {
  VANTAGE_AGENT_ENDPOINTS: [
    `https://${addressOf('c')}:${new URL(quickstart.agent_endpoint).port}`,
    `https://${addressOf('d')}:${agentPort}`,
  ].join(','),
  VANTAGE_AGENT_TOKEN: z.object({ token: z.string() }).parse(invited).token,
  VANTAGE_CA_FILE: quickstart.ca_file,
  VANTAGE_AGENT_DATA: path.join(folder, 'a'),
});

await delay(15_000); // the agent is with the only controller
const otherData = path.join(folder, 'd');
start('d', 'controller', {
  ...listens('d'),
  VANTAGE_DATA: otherData,
  VANTAGE_DATABASE_URL: url,
  VANTAGE_SECRET_KEY_FILE: key,
  VANTAGE_HTTPS_PORT: String(httpsPort),
  VANTAGE_AGENT_PORT: String(agentPort),
});
const caFile = path.join(otherData, 'tls', 'ca.pem');
await untilHolds(() => existsSync(caFile));
const baseUrl = `https://${addressOf('d')}:${httpsPort}/v1.1`;
const other = createApi({ baseUrl, caFile, key: quickstart.api_key_uw });
stack.defer(() => other.close());
const isServing = () =>
  other.call('GET', '/devices').then(
    ({ status }) => status === 200,
    () => false,
  );
await untilHolds(isServing);

const messages: string[] = [];
const receiver = createServer((request, response) => {
  void text(request).then((body) => {
    const { type } = z.object({ type: z.string() }).parse(JSON.parse(body));
    // The agent of `vantage up` knows one controller, so its Location is offline.
    if (type.startsWith('device.')) messages.push(`${String(request.headers['webhook-id'])} ${type}`);
    response.writeHead(204).end();
  });
}).listen({ host: '0.0.0.0', port: 8080 });
stack.defer(() => {
  receiver.close().closeAllConnections();
});
await notifyEverybody(system.api, `http://${addressOf('c')}:8080/hook`);

const target = stack.use(await startTarget(addressOf('c')));
const sick = stack.use(await startTarget(addressOf('c')));
const ids: string[] = [];
for (let no = 0; no < devices; no += 1) {
  const { port } = no === 0 ? sick : target;
  const body = { Method: 'TCP', URL: `${addressOf('c')}:${port}`, ShortName: `d${no}`, Locations: ['far'] };
  const made = await system.api.ok('POST', '/devices', { ...body, FrequencySeconds: 5, Timeout: 4 });
  ids.push(z.object({ device_id: z.string() }).parse(made).device_id);
}

const facts = z.object({
  rows: z.number(),
  all: z.number(),
  gaps: z.number(),
  offline: z.number(),
  down: z.number(),
  /** The gateway of the agent, and the holders of the leases for plans. */
  gateway: z.string().nullable(),
  holders: z.array(z.string()),
});
const read = () =>
  withClient(primary.superuserUrl, async (client) => {
    const { rows } =
      await client.query(`select (select count(*) from checks)::int as all, (select count(*) from checks join devices using (device_no) where url like '%:${target.port}')::int as rows,
      (select coalesce(sum(dropped_results), 0) from gaps)::int as gaps,
      (select count(*) from events e join locations l using (location_no) where e.type = 'LocationOffline' and l.name = 'far')::int as offline,
      (select count(*) from events where type = 'Down')::int as down,
      (select max(a.gateway_id) from agents a join locations l using (location_no) where l.name = 'far' and a.state = 'Connected') as gateway,
      array(select distinct holder from leases where name like 'plan:%' and expires_us > extract(epoch from clock_timestamp()) * 1000000) as holders`);
    return facts.parse(rows[0]);
  });
/** Seconds until it holds. */
async function untilHolds(holds: () => Promise<boolean> | boolean): Promise<number> {
  const fromMs = Date.now();
  while (!(await holds())) {
    if (Date.now() - fromMs > limitMs) throw new Error(`too late: ${JSON.stringify(await read())}`);
    await delay(250);
  }
  return Math.round((Date.now() - fromMs) / 100) / 10;
}

await untilHolds(async () => (await read()).rows > 3 * devices);
const own = z.object({ controllerId: z.string() }).parse(
  JSON.parse(
    readFileSync(path.join(system.dataDir, 'log', 'controller.log'), 'utf8')
      .split('\n')
      .find((line) => line.includes('"the controller serves"')) ?? '{}',
  ),
).controllerId;
const wasOwn = (await read()).gateway === own;
process.stderr.write(`before: ${JSON.stringify(await read())}, own ${own}\n`);
setPath(tag, 'c', 'cut');
const cutAtMs = Date.now();
await sick.stop();
let refused = 0;
const [agentMovedS, leasesMovedS, downS] = await Promise.all([
  untilHolds(async () => {
    const { gateway } = await read();
    return gateway !== null && gateway !== own;
  }),
  untilHolds(async () => !(await read()).holders.includes(own)),
  untilHolds(() => messages.some((message) => message.endsWith('.down'))),
  (async () => {
    for (; Date.now() < cutAtMs + cutMs; await delay(250)) if (!(await isServing())) refused += 1;
  })(),
]);
setPath(tag, 'c', 'heal');
const backS = await untilHolds(() =>
  system.api.call('GET', '/devices').then(
    ({ status }) => status === 200,
    () => false,
  ),
);
await sick.start();
await untilHolds(() => messages.some((message) => message.endsWith('.up')));
await delay(20_000);
for (const id of ids) await system.api.ok('PUT', `/devices/${id}`, { Enabled: false });
const hitsNow = () => target.hits.length + sick.hits.length;
for (let hits = -1; hits !== hitsNow(); await delay(6_000)) hits = hitsNow();
await delay(5_000);
const { rows, gaps, offline, down, all } = await read();
process.stdout.write(
  `${JSON.stringify({ wasOwn, agentMovedS, leasesMovedS, downS, backS, refused, messages, offline, down, gaps, all, rows, hits: target.hits.length })}\n`,
);
