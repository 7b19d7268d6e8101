// Secrets with a recognizable text (sentinels) pass every flow, and no output shows one. The agent's file of
// assignments holds secrets, because the agent works without its controller too; only its owner can read that file.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { methods } from '@vantage/domain';
import { programEnv } from '@vantage/kernel/testing';
import { makeCertificate } from '@vantage/probes/testing';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { whyNoPing } from '../../libs/icmp/src/index.ts';
import { repositoryRoot, type System } from '../harness/system.ts';
import { startSystemOnDatabase } from '../harness/system-on-database.ts';
import { createSearch, sentinel } from './sentinel.ts';
import { lineMethods, refusedDevices } from './sentinel-devices.ts';
import { welcomeDevices } from './sentinel-welcome.ts';

const search = createSearch();
const { shown } = search;
const created = z.object({ device_id: z.string() });
const checks = z.array(z.object({ check_id: z.string(), ResultCode: z.int() }));
const own = mkdtempSync(path.join(tmpdir(), 'vantage-sentinel-'));
const targets = new AsyncDisposableStack();
let system: System;
beforeAll(async () => {
  const secretsFile = path.join(own, 'local.json');
  writeFileSync(secretsFile, JSON.stringify({ HERE: sentinel('local') }), { mode: 0o600 });
  system = await startSystemOnDatabase({
    env: { VANTAGE_LOG_LEVEL: 'debug', VANTAGE_AGENT_SECRETS_FILE: secretsFile },
  });
});
afterAll(async () => {
  rmSync(own, { recursive: true });
  await system[Symbol.asyncDispose]();
  await targets.disposeAsync();
});

test('no secret shows in a log, an answer, an event, an export or the database', {
  timeout: 180_000,
}, async () => {
  const { answers, ask } = recordAnswers();
  await createSecrets();
  const key = await issueKeyWithPassword();
  const devices = await createDevices(ask);
  // A new Method needs devices of its own here. Jobs call for Push, whose Options hold no secret.
  const withSecrets = methods.filter((method) => method !== 'Push');
  expect(new Set(devices.map(({ method }) => method))).toEqual(new Set(withSecrets));
  await sendRefusedRequests(ask, key);
  const codes = new Map<string, Set<number>>();
  for (const device of devices) await readDevice(ask, device, codes);
  for (const route of listRoutes) await ask('GET', route);
  await readEvents(ask);
  // The servers accepted logins and refused logins of each Method.
  for (const method of [...lineMethods, 'HTTP']) expect([...(codes.get(method) ?? [])], method).toContain(1);
  for (const method of lineMethods)
    expect(
      [...(codes.get(method) ?? [])].some((code) => code === 8 || code === 3),
      method,
    ).toBe(true);
  // Each check ran: none failed because of the agent itself (code 10), which may not be allowed to ping.
  if (whyNoPing() !== undefined) codes.delete('PING');
  for (const [method, found] of codes) expect([...found], method).not.toContain(10);
  expect(answers.filter((text) => text.includes('***')).length).toBeGreaterThan(30);
  expect(answers.flatMap(shown)).toEqual([]);

  const database = await databaseTexts();
  expect(database.length).toBeGreaterThan(100);
  expect(database.flatMap(shown)).toEqual([]);

  const keys = [key, system.quickstart().api_key_uw, system.quickstart().api_key_ur];
  expectFilesWithoutSecrets(keys);
  // The answer to GET /hello names the caller's key, as the specification demands.
  const others = answers.filter((text) => !text.startsWith('GET /hello'));
  expect(keys.filter((each) => [...others, ...database].some((text) => text.includes(each)))).toEqual([]);
  expect(shown(system.output())).toEqual([]);
});

const listRoutes = [
  '/devices',
  '/devices?fmt=csv&Limit=100',
  '/devices?fmt=xml&Limit=100',
  '/secrets',
  '/account',
  '/agents',
];

/** `ask` calls the API and keeps each answer, headers included, in `answers`. */
function recordAnswers() {
  const answers: string[] = [];
  const ask = async (method: string, route: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await system.api.call(method, route, body, headers);
    answers.push(`${method} ${route}: ${JSON.stringify(answer.headers)} ${answer.text}`);
    return answer;
  };
  return { answers, ask };
}

type Ask = ReturnType<typeof recordAnswers>['ask'];

async function createSecrets(): Promise<void> {
  const values = {
    KEPT: sentinel('kept'),
    ODD: `${sentinel('odd')}/@:%"?#`,
    SSH: sentinel('ssh'),
    MYSQL: sentinel('mysql'),
    PEM: search.addKey(makeCertificate().key),
  };
  for (const [Name, Value] of Object.entries(values))
    await system.api.ok('POST', '/secrets', { Name, Value });
}

/** Issues a key of the user `watch` with a password, and resolves with the key. */
async function issueKeyWithPassword(): Promise<string> {
  const issue = ['keys', 'issue', '--account', 'default', '--user', 'watch', '--password', '-'];
  const issuing = promisify(execFile)(path.join(repositoryRoot, 'vantage'), [...issue, '--json'], {
    env: { ...programEnv(), VANTAGE_DATABASE_URL: system.quickstart().database_url },
  });
  issuing.child.stdin?.end(`${sentinel('basic')}\n`);
  const { stdout } = await issuing;
  return z.object({ key: z.string() }).parse(JSON.parse(stdout)).key;
}

/** A device of the test. */
interface Created {
  readonly id: string;
  readonly method: string;
}

async function createDevices(ask: Ask): Promise<readonly Created[]> {
  const all = [
    ...(await welcomeDevices(targets, (pem) => search.addKey(pem))),
    ...(await refusedDevices(targets)),
  ];
  const devices: Created[] = [];
  for (const [n, device] of all.entries()) {
    // Some servers say nothing until the end. On a busy machine a script's process needs seconds to start.
    const Timeout = device.Method === 'Script' ? 60 : 5;
    const body = { ...device, ShortName: `s-${n}`, Timeout, Retries: 2 };
    const answer = await ask('POST', '/devices', body);
    expect(answer, `${JSON.stringify(body)} ${answer.text}`).toMatchObject({ status: 200 });
    devices.push({ id: created.parse(answer.body).device_id, method: device.Method });
  }
  return devices;
}

/** Sends devices, a secret, a key and passwords that the API refuses. Its answers must not repeat them. */
async function sendRefusedRequests(ask: Ask, key: string): Promise<void> {
  await ask('POST', '/devices', { Method: 'SMTP', URL: `smtp://me:${sentinel('bad')}@-x`, ShortName: 'bad' });
  await ask('POST', '/devices', {
    Method: 'FTP',
    URL: 'host',
    ShortName: 'bad',
    Options: { Password: `${sentinel('bad')}\n`, User: 5 },
  });
  await ask('POST', '/secrets', { Name: 'KEPT', Value: sentinel('again') });
  await ask('GET', '/hello', undefined, { 'Service-API-Key': sentinel('key') });
  for (const password of [sentinel('basic'), sentinel('wrong')]) {
    const Authorization = `Basic ${Buffer.from(`watch:${password}`).toString('base64')}`;
    const { status } = await ask('GET', '/hello', undefined, { 'Service-API-Key': key, Authorization });
    expect(status === 200).toBe(password === sentinel('basic'));
  }
}

const formats = ['json', 'csv', 'xml'];

/**
 * Waits for a check of a device, changes it and reads every route about it. Adds the ResultCodes to those of its
 * Method.
 */
async function readDevice(ask: Ask, { id, method }: Created, codes: Map<string, Set<number>>): Promise<void> {
  const at = `/devices/${id}`;
  const readChecks = async () => checks.parse(await system.api.ok('GET', `${at}/checks`));
  await expect
    .poll(async () => (await readChecks()).length, { timeout: 60_000, interval: 300 })
    .toBeGreaterThan(0);
  await ask('PUT', at, { FullName: 'renamed' });
  await ask('GET', `${at}?WithConfig=Y`);
  await ask('GET', `${at}/events`);
  for (const format of formats) await ask('GET', `${at}/checks?fmt=${format}`);
  // These have numbers only.
  for (const list of ['statistics', 'uptime'])
    for (const format of codes.has(method) ? ['json'] : formats)
      await ask('GET', `${at}/${list}?fmt=${format}`);
  for (const format of ['csv', 'xml'])
    await ask('GET', `${at}?fmt=${format}&filename=device.${format}&WithConfig=Y`);
  await ask('POST', `${at}/check`);
  const seen = new Set<number>();
  for (const { check_id, ResultCode } of await readChecks()) {
    codes.set(method, (codes.get(method) ?? new Set()).add(ResultCode));
    // The other forms of checks that end alike are alike, and the short one has a part of the extended one.
    if (!seen.has(ResultCode)) await ask('GET', `/checks/${check_id}`);
    for (const format of seen.has(ResultCode) ? ['json'] : formats)
      await ask('GET', `/checks/${check_id}/extended?fmt=${format}`);
    seen.add(ResultCode);
  }
}

/** Reads the events of all devices in every form. */
async function readEvents(ask: Ask): Promise<void> {
  const page = z.array(z.object({ event_id: z.string() }));
  for (let query = '?Limit=100'; ; ) {
    const events = page.parse((await ask('GET', `/events${query}`)).body);
    for (const format of ['csv', 'xml']) await ask('GET', `/events${query}&fmt=${format}`);
    if (events.length < 100) return;
    query = `?Limit=100&Before=${events.at(-1)?.event_id}`;
  }
}

/** Every row of every table as text. */
async function databaseTexts(): Promise<string[]> {
  return withClient(system.quickstart().database_url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const texts: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
      texts.push(...rows.map(({ text }) => `${name}: ${text}`));
    }
    return texts;
  });
}

/**
 * Only the agent's assignments, and the files that exist for keys, hold a secret or a key; others cannot read the
 * assignments.
 */
function expectFilesWithoutSecrets(keys: readonly string[]): void {
  const spared = ['secret.key', 'first-run.json', 'quickstart.json'];
  const files = readdirSync(system.dataDir, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.includes('postgres') && !spared.includes(entry.name),
    )
    .map((entry) => path.join(entry.parentPath, entry.name));
  for (const name of ['controller.log', 'agent.log', 'assignments.bin'])
    expect(
      files.filter((file) => file.endsWith(name)),
      name,
    ).not.toEqual([]);
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    expect(
      keys.filter((key) => text.includes(key)),
      file,
    ).toEqual([]);
    if (!path.basename(file).startsWith('assignments.bin')) expect(shown(text), file).toEqual([]);
    else expect(statSync(file).mode & 0o777, file).toBe(0o600);
  }
}
