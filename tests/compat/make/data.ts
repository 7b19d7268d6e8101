// Makes data.json.br of a version. It runs that version's controller, agent and PostgreSQL for some minutes and records
// the files, the rows and the answers of the REST API that describe them. Usage: node tests/compat/make/data.ts
// CHECKOUT COMMIT MINUTES (CHECKOUT has its packages installed)
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@vantage/testing/free-port';
import { withClient } from '@vantage/testing/postgres-url';
import { z } from 'zod';
import { type Api, createApi } from '../../harness/api.ts';
import { pack, readFolder } from '../archive.ts';
import { login, startLate, startTargets } from '../targets.ts';
import { readTruth } from '../truth.ts';
import { newDevices, special } from './devices.ts';
import { dumpRows } from './dump.ts';

const [checkout = '', commit = '', minutes = '3'] = process.argv.slice(2);
if (checkout === '' || commit === '') throw new Error('usage: data.ts CHECKOUT COMMIT MINUTES');
const dataDir = mkdtempSync(path.join(tmpdir(), 'vantage-record-'));
const ports = { VANTAGE_HTTPS_PORT: String(await freePort()), VANTAGE_AGENT_PORT: String(await freePort()) };
const env = { PATH: process.env['PATH'], VANTAGE_DATA: dataDir, ...ports };
const quickstart = z.object({ base_url: z.string(), ca_file: z.string(), database_url: z.string() });
const keys = z.object({ api_key_uw: z.string(), agent_token: z.string() });
const say = (text: string) => console.log(new Date().toISOString(), text);

await using _targets = await startTargets({ late: false });
const up = run('vantage', ['up']);
await until('quickstart.json', async () => existsSync(path.join(dataDir, 'quickstart.json')));
// The program's own URL of the database, with the role that the program uses.
const {
  base_url: baseUrl,
  ca_file: caFile,
  database_url: databaseUrl,
} = quickstart.parse(readJson('quickstart.json'));
const { api_key_uw: key, agent_token: token } = keys.parse(readJson('first-run.json'));
const api = createApi({ baseUrl, caFile, key });
const wire = await inviteWire();
const devices = await makeDevices(api);
await using _late = await live(api, devices);
say(`letting it run for ${minutes} min`);
await delay(Number(minutes) * 60_000);
await up.end();
const stoppedUs = Date.now() * 1000;

say('the agent goes on alone');
const agent = run('vantage', ['agent'], {
  VANTAGE_AGENT_ENDPOINTS: `https://localhost:${ports.VANTAGE_AGENT_PORT}`,
  VANTAGE_AGENT_TOKEN: token,
  VANTAGE_CA_FILE: path.join(dataDir, 'tls/ca.pem'),
  VANTAGE_AGENT_DATA: path.join(dataDir, 'agent'),
});
await delay(130_000);
await agent.end();

say('reading the files, the rows and the answers');
const controller = run('apps/controller/src/main.ts', []);
await until('the API', async () => (await api.call('GET', '/hello')).status === 200);
const truth = await readTruth(api, stoppedUs);
const rows = await withClient(databaseUrl, dumpRows);
await controller.end();
api.close();
const files = readFolder(
  dataDir,
  (file) => /^(agent|tls)\//.test(file) || /^(secret\.key|first-run\.json|agent-token)$/.test(file),
);
pack(path.resolve(import.meta.dirname, '../fixtures', commit, 'data.json.br'), {
  atUs: Date.now() * 1000,
  stoppedUs,
  key,
  token,
  wire,
  truth,
  rows,
  files,
});
if (process.env['KEEP_DATA'] === undefined) rmSync(dataDir, { recursive: true, force: true });
else say(`kept ${dataDir}`);
process.exit(0);

/** Starts a program of the checkout. */
function run(program: string, args: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const file = path.join(checkout, program);
  const argv = program.endsWith('.ts') ? [process.execPath, file] : [file];
  const child = spawn(argv[0] ?? '', [...argv.slice(1), ...args], {
    cwd: checkout,
    env: { ...env, ...more },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(dataDir, name), 'utf8'));
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await holds().catch(() => false)) return;
    await delay(200);
  }
  throw new Error(`${what} did not come within two minutes`);
}

/** Creates a Location and invites two agents that never connect. Resolves with their tokens. */
async function inviteWire(): Promise<readonly string[]> {
  await command('locations', 'create', 'wire');
  const invitation = z.object({ token: z.string() });
  const one = invitation.parse(await command('agents', 'invite', '--location', 'wire'));
  const two = invitation.parse(await command('agents', 'invite', '--location', 'wire'));
  return [one.token, two.token];
}

async function command(...args: readonly string[]): Promise<unknown> {
  const child = spawn(path.join(checkout, 'vantage'), [...args, '--json'], { cwd: checkout, env });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output);
}

/** Creates the secrets and the devices. Resolves with the ids by ShortName. */
async function makeDevices(on: Api): Promise<ReadonlyMap<string, string>> {
  await on.ok('POST', '/secrets', { Name: 'PASSWORD', Value: login.password });
  await on.ok('POST', '/secrets', { Name: 'TOKEN', Value: login.token });
  const { tag_id: tag } = z
    .object({ tag_id: z.string() })
    .parse(await on.ok('POST', '/tags', { Name: 'kept' }));
  const made = new Map<string, string>();
  const schedules = await makeSchedules(on);
  for (const device of newDevices()) {
    const scheduled = made.size % 5 === 0 || device.ShortName === special.down ? schedules : {};
    const { device_id: id } = z
      .object({ device_id: z.string() })
      .parse(await on.ok('POST', '/devices', { ...device, ...scheduled }));
    made.set(device.ShortName, id);
    if (made.size % 7 === 0)
      await on.ok('PUT', `/tags/${tag}/devices/${id}`).catch((error) => say(String(error)));
  }
  say(`${made.size} devices`);
  return made;
}

/** Creates a contact that gets nothing, a notification schedule for it, and maintenance in some years. */
async function makeSchedules(on: Api): Promise<Readonly<Record<string, string>>> {
  const { contact_id: contact } = z.object({ contact_id: z.string() }).parse(
    await on.ok('POST', '/contacts', {
      Name: 'shadow',
      Type: 'webhook',
      Address: `https://user:${login.password}@hooks.example/alerts?token=kept`,
      Secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      Shadow: true,
    }),
  );
  const steps = { Name: 'everybody', Steps: [{ DelayMinutes: 0, Contacts: [contact], RepeatMinutes: 5 }] };
  const window = { Name: 'in some years', Start: '2031-05-04T02:00', Duration: '01:00', Recurrence: null };
  return {
    ...z.object({ nschedule_id: z.string() }).parse(await on.ok('POST', '/nschedules', steps)),
    ...z.object({ mschedule_id: z.string() }).parse(await on.ok('POST', '/mschedules', window)),
  };
}

/** Creates an outage that stays, one that ends, a maintenance window and checks on request. */
async function live(on: Api, made: ReadonlyMap<string, string>): Promise<AsyncDisposable> {
  const idOf = (name: string) => made.get(name) ?? '';
  const status = z.object({ Status: z.string() });
  const shows = (name: string, wanted: string) =>
    until(
      `${name} ${wanted}`,
      async () => status.parse(await on.ok('GET', `/devices/${idOf(name)}`)).Status === wanted,
    );
  for (const { ShortName, URL } of newDevices())
    await shows(ShortName, URL.startsWith('127.0.0.1:1') || ShortName === special.recovered ? 'Down' : 'Up');
  const late = await startLate();
  await on.ok('POST', `/devices/${idOf(special.recovered)}/check`);
  await shows(special.recovered, 'Up');
  await on.ok('PUT', `/devices/${idOf(special.maintained)}/start-maintenance`, { Duration: '99:59' });
  for (const name of ['d-20', 'd-21', 'd-22']) await on.ok('POST', `/devices/${idOf(name)}/check`);
  say('each device has its status');
  return late;
}
