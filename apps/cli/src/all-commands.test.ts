import { spawn } from 'node:child_process';
import { createHash, scryptSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programEnv } from '@vantage/kernel/testing';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { inDatabase, withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { program, runVantage, useHere } from './testing/run-vantage.ts';

const runHere = useHere();
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const hashOf = (credential: string) => createHash('sha256').update(credential).digest();

/** Runs the command line on the test's database; as a program of its own where it reads an input. */
function vantage(args: readonly string[], settings: Readonly<Record<string, string>> = {}, input?: string) {
  const all = { VANTAGE_DATABASE_URL: database.url, VANTAGE_PARCELS: '/none', ...settings };
  return input === undefined ? runHere(args, all) : runVantage(args, all, input);
}

async function json<T>(schema: z.ZodType<T>, ...args: string[]): Promise<T> {
  const { code, out, err } = await vantage([...args, '--json']);
  if (code !== 0) throw new Error(err);
  return schema.parse(JSON.parse(out));
}

function rows(text: string, values: unknown[] = []): Promise<unknown[]> {
  return withClient(database.url, async (client) => (await client.query(text, values)).rows);
}

test('an account gets keys, a Location and an agent, and the database stores only hashes of their credentials', async () => {
  await json(
    z.object({ account_id: z.string() }),
    'accounts',
    'create',
    'acme',
    '--timezone',
    'Europe/Berlin',
  );
  const issue = ['keys', 'issue', '--account', 'acme', '--level', 'UR', '--user', 'u', '--password', '-'];
  const { out } = await vantage([...issue, '--json'], {}, 'p\n');
  const issued = z.object({ key_id: z.string(), key: z.string().length(64) }).parse(JSON.parse(out));
  const [kept] = z
    .array(
      z.object({
        level: z.string(),
        basic_user: z.string(),
        basic_hash: z.string(),
        key_hash: z.instanceof(Buffer),
      }),
    )
    .parse(
      await rows('select level, basic_user, basic_hash, key_hash from api_keys where key_id = $1', [
        issued.key_id,
      ]),
    );
  expect(kept).toMatchObject({ level: 'UR', basic_user: 'u', key_hash: hashOf(issued.key) });
  const [, N = '', r = '', p = '', salt = '', hash = ''] = kept?.basic_hash.split('$') ?? [];
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: 64 * 1024 * 1024 };
  expect(scryptSync('p', Buffer.from(salt, 'base64url'), 32, cost).toString('base64url')).toBe(hash);
  await json(z.object({ location_id: z.string() }), 'locations', 'create', 'office', '--account', 'acme');
  const agent = await json(
    z.object({ agent_id: z.string(), token: z.string(), command: z.string(), expires: z.string() }),
    'agents',
    'invite',
    '--account',
    'acme',
    '--location',
    'office',
    '--endpoint',
    'https://here:8444',
  );
  // No controller answers there, so there is no line that installs it.
  expect(agent.command).toContain(`VANTAGE_AGENT_TOKEN=${agent.token}`);
  expect(Date.parse(agent.expires) - Date.now()).toBeGreaterThan(13 * 60_000);
  expect(await rows('select token_hash from agents where agent_id = $1', [agent.agent_id])).toEqual([
    { token_hash: hashOf(agent.token) },
  ]);
  const listed = await vantage(['keys', 'list']);
  expect(listed.out).toContain(issued.key_id);
  expect(listed.out).not.toContain(issued.key);
});

test('a revoked key is marked, and every controller is notified', async () => {
  await json(z.object({ account_id: z.string() }), 'accounts', 'create', 'revoker');
  const issued = await json(z.object({ key_id: z.string() }), 'keys', 'issue', '--account', 'revoker');
  const notice = await withClient(database.url, async (listener) => {
    await listener.query('listen vantage_revoked');
    const sent = new Promise<string>((resolve) =>
      listener.once('notification', ({ payload }) => resolve(payload ?? '')),
    );
    await json(z.object({ key_id: z.string() }), 'keys', 'revoke', issued.key_id);
    return sent;
  });
  const [row] = z
    .array(z.object({ key_no: z.int(), revoked_at: z.date() }))
    .parse(await rows('select key_no, revoked_at from api_keys where key_id = $1', [issued.key_id]));
  expect(JSON.parse(notice)).toEqual({ agent_nos: [], key_nos: [row?.key_no] });
  expect((await vantage(['keys', 'revoke', issued.key_id])).err).toContain('there is no key');
});

test('devices that name no Locations are checked from the Location local once it exists', async () => {
  const made = await vantage(['accounts', 'create', 'late']);
  expect(made.code).toBe(0);
  expect(made.err).toContain('locations create local --account late');
  const device = async (name: string, given: boolean) =>
    rows(
      `insert into devices (device_id, account_no, method, url, sealed, short_name, frequency_min, timeout_s, retries,
         retry_delay_s, locations_given, changed_us, created_us, updated_us)
       select $1, account_no, 'TCP', 'a:1', '', $1, 1, 5, 2, 1, $2, 0, 0, 0 from accounts where name = 'late'`,
      [name, given],
    );
  await device('open', false);
  await device('none', true);
  await json(z.object({ location_id: z.string() }), 'locations', 'create', 'elsewhere', '--account', 'late');
  const assigned = () =>
    rows(`select device_id, l.name, revision from device_locations join devices d using (device_no)
          join locations l using (location_no)`);
  expect(await assigned()).toEqual([]);
  await json(z.object({ location_id: z.string() }), 'locations', 'create', 'local', '--account', 'late');
  expect(await assigned()).toEqual([{ device_id: 'open', name: 'local', revision: 2 }]);
  const again = await vantage(['locations', 'create', 'local', '--account', 'late', '--json']);
  expect(again.code).toBe(1);
  expect(JSON.parse(again.err)).toMatchObject({ code: 'location_exists' });
});

test.each([
  [['keys', 'issue', '--level', 'root'], 'Allowed choices are UA, UW, UO, UR'],
  [['agents', 'upgrade', '--version', '0.3.0'], 'one of --all, --location and --agent is needed'],
  [['agents', 'upgrade', '--all'], "required option '--version <version>' not specified"],
  [['locations', 'create'], "missing required argument 'fields'"],
  [['bogus'], "unknown command 'bogus'"],
  [['accounts', 'create', ' '], 'A name has 1 to 200 characters'],
  [['agents', 'invite', '--location', 'x', '--endpoint', 'http://here'], 'An endpoint is https://host:port'],
])('%j is refused by its arguments, and the message names the mistake', async (args, message) => {
  const { code, err } = await runHere(args);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test.each([
  [1, ['accounts', 'create', 'x', '--timezone', 'Mars/Base'], 'is no IANA time zone'],
  [1, ['keys', 'issue', '--account', 'nobody'], 'there is no account nobody; accounts:'],
  [
    2,
    ['keys', 'issue', '--user', 'u', '--password', 'X'],
    'write "--password -" and send it to standard input',
  ],
  [2, ['keys', 'issue', '--user', 'u', '--password', '-'], 'standard input has no password'],
  [2, ['keys', 'issue', '--user', 'u'], '--user and --password must be given together'],
  [1, ['agents', 'invite', '--location', 'moon'], 'there is no account default'],
  [1, ['agents', 'revoke', 'x'], 'there is no agent x'],
  [1, ['agents', 'upgrade', '--all', '--version', '0.3.0'], 'there is no account default'],
  [1, ['parcel', 'sign', '--key', '/nowhere.key'], 'no such file'],
  [2, ['locations', 'create', 'x'.repeat(201)], 'A name has 1 to 200 characters'],
])('the exit code is %i for %j, and the message names the mistake', async (expected, args, message) => {
  const { code, err } = await vantage(args, {}, args.includes('-') ? '' : undefined);
  expect(code).toBe(expected);
  expect(err).toContain(message);
});

test('wrong and unknown settings are refused all at once, and the message names a missing system', async () => {
  const unknown = await vantage(['keys', 'list'], {
    VANTAGE_DATTA: 'x',
    VANTAGE_PORT: '1',
    VANTAGE_DATABASE_URL: 'here',
  });
  expect(unknown.code).toBe(2);
  expect(unknown.err).toContain('VANTAGE_DATTA is not a setting; did you mean VANTAGE_DATA?');
  expect(unknown.err).toContain('VANTAGE_PORT is not a setting');
  expect(unknown.err).toContain('VANTAGE_DATABASE_URL must be postgres://');
  const file = await vantage(['keys', 'list'], { VANTAGE_SETTINGS_FILE: '/nowhere' });
  expect(file.err).toContain('VANTAGE_SETTINGS_FILE cannot be read');
  const gone = await vantage(['keys', 'list'], { VANTAGE_DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x' });
  expect(gone.code).toBe(1);
  expect(gone.err).toContain('the database cannot be reached');
  expect(gone.err).toContain('correct VANTAGE_DATABASE_URL');
  const empty = await vantage(['keys', 'list'], {
    VANTAGE_DATABASE_URL: inDatabase(database.url, 'template1'),
  });
  expect(empty.err).toContain('holds no Vantage yet: start a controller on it first');
  const dir = mkdtempSync(path.join(tmpdir(), 'vantage-cli-'));
  const away = await vantage(['keys', 'list'], { VANTAGE_DATABASE_URL: '', VANTAGE_DATA: dir });
  rmSync(dir, { recursive: true });
  expect(away.err).toContain('start it with "npm start"');
});

test.each([
  [['--help'], ['database', 'help settings'], ['VANTAGE_DATA']],
  [
    ['help', 'settings'],
    ['VANTAGE_DATA', 'VANTAGE_TRUSTED_PROXIES', 'VANTAGE_AGENT_TOKEN_FILE', 'VANTAGE_KEY'],
    [],
  ],
  [['settings'], ['VANTAGE_DATA', 'VANTAGE_AGENT_TOKEN_FILE'], []],
  [['up', '--help'], ['VANTAGE_DATA', 'VANTAGE_AGENT_TOKEN_FILE', '--json'], []],
  [['controller', '--help'], ['VANTAGE_DATA', 'VANTAGE_LOG_LEVEL', '--json'], ['VANTAGE_AGENT_TOKEN_FILE']],
  [['agent', '--help'], ['VANTAGE_AGENT_TOKEN_FILE', 'VANTAGE_LOG_LEVEL', '--json'], ['VANTAGE_HTTPS_PORT']],
])('%j lists the settings that apply', async (args, there, absent) => {
  const { code, out } = await runHere(args);
  expect(code).toBe(0);
  for (const name of there) expect(out).toContain(name);
  for (const name of absent) expect(out).not.toContain(name);
});

test.each([[['--help']], [['keys', 'list', '--json']], [['bogus']]])(
  '%j succeeds when its reader closes the output early',
  async (args) => {
    const env = { ...programEnv(), VANTAGE_DATABASE_URL: database.url };
    const child = spawn(process.execPath, [program, ...args], { env });
    child.stdout.destroy();
    child.stderr.on('data', (chunk) => {
      said += chunk.toString();
    });
    let said = '';
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, said.includes('EPIPE')]).toEqual([args[0] === 'bogus' ? 2 : 0, false]);
  },
);

test('--version prints the version', async () => {
  expect((await vantage(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('a fenced agent is listed with its state, and unfence lets it connect again', async () => {
  const id = 'fencer';
  await keepAgent(id);
  expect((await vantage(['agents', 'unfence', id])).err).toContain('there is no fenced agent');
  await rows(`update agents set state = 'Fenced', session_counter = 1000 where agent_id = $1`, [id]);
  expect((await vantage(['agents', 'list', '--account', 'fencer'])).out).toContain('Fenced');
  expect((await vantage(['agents', 'unfence', id])).code).toBe(0);
  const found = await rows('select state, session_counter from agents where agent_id = $1', [id]);
  expect(found).toEqual([{ state: 'Away', session_counter: '0' }]);
});

/** An account named as the agent's id, with the agent at its Location `here`, and with a Location `there`. */
async function keepAgent(id: string): Promise<void> {
  await rows(
    `with a as (insert into accounts (account_id, name) values ($1, $1) returning account_no),
      l as (insert into locations (location_id, account_no, name) select $1, account_no, 'here' from a returning *),
      m as (insert into locations (location_id, account_no, name) select $1 || '2', account_no, 'there' from a)
    insert into agents (agent_id, account_no, location_no, name, token_hash, token_expires_us)
    select $1, account_no, location_no, 'old', $1::bytea, 9000000000000000 from l`,
    [id],
  );
}

test('an agent is renamed, and moved to a Location that exists, by the start of its id and by its name', async () => {
  await keepAgent('mover-of-many');
  expect((await vantage(['agents', 'rename', 'mover', 'edge-1'])).err).toContain('there is no agent mover;');
  expect((await vantage(['agents', 'rename', 'mover-', 'edge-1'])).code).toBe(0);
  const moved = await vantage(['agents', 'move', 'EDGE-1', 'there']);
  expect([moved.code, moved.err]).toEqual([
    0,
    expect.stringContaining('the Location here no longer has an agent'),
  ]);
  expect((await vantage(['agents', 'move', 'edge-1', 'moon', '--json'])).err).toContain('"no_location"');
  const agent = `select a.name, l.name as location from agents a join locations l using (location_no) where agent_id = 'mover-of-many'`;
  expect(await rows(agent)).toEqual([{ name: 'edge-1', location: 'there' }]);
});

test('an agent is removed after it was revoked', async () => {
  await keepAgent('leaver');
  const several = await vantage(['agents', 'revoke', 'old']);
  expect(several.err).toContain('several agents are called old: fencer (old at here), leaver (old at here)');
  expect((await vantage(['agents', 'remove', 'leaver'])).err).toContain('is not revoked');
  expect((await vantage(['agents', 'revoke', 'leaver'])).code).toBe(0);
  expect((await vantage(['agents', 'remove', 'leaver'])).code).toBe(0);
  expect(await rows(`select from agents where agent_id = 'leaver' and removed_at is null`)).toEqual([]);
  const events = `select message from events join accounts using (account_no) where name = 'leaver'`;
  expect(await rows(events)).toEqual([{ message: 'Agent old of Location here was revoked' }]);
});
