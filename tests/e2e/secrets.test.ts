// Sentinel secrets go through every flow, and none shows. A device's assignment on the agent's disk holds its secrets, because the
// agent works without its controller; so that file is for its owner alone.
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeCertificate } from '@vantage/probes/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { withClient } from '../harness/postgres-url.ts';
import { repositoryRoot, type System, startSystem } from '../harness/system.ts';
import { createSearch, reference, sentinel } from './sentinel.ts';
import { type EchoMethod, type EchoTarget, echoLines, echoWeb } from './sentinel-targets.ts';
import { type Wish, welcomeWishes } from './sentinel-welcome.ts';
import { dnsServer } from './watched.ts';

const search = createSearch();
const { shown } = search;
const lineMethods: readonly EchoMethod[] = ['SMTP', 'POP3', 'IMAP4', 'NNTP', 'FTP', 'TELNET', 'MySQL', 'SSH'];
const made = z.object({ device_id: z.string() });
const checks = z.array(z.object({ check_id: z.string(), ResultCode: z.int() }));
const own = mkdtempSync(path.join(tmpdir(), 'vantage-sentinel-'));
let system: System;
const targets: AsyncDisposable[] = [];
beforeAll(async () => {
  const secretsFile = path.join(own, 'local.json');
  writeFileSync(secretsFile, JSON.stringify({ HERE: sentinel('local') }), { mode: 0o600 });
  system = await startSystem({
    env: { VANTAGE_LOG_LEVEL: 'debug', VANTAGE_AGENT_SECRETS_FILE: secretsFile },
  });
}, 120_000);
afterAll(async () => {
  rmSync(own, { recursive: true });
  await system[Symbol.asyncDispose]();
  for (const target of targets) await target[Symbol.asyncDispose]();
});

const held = async (target: Promise<EchoTarget>) => {
  const one = await target;
  targets.push(one);
  return one.target;
};

/** A device of each method and each way in which a secret gets into it. */
async function wishes(): Promise<Wish[]> {
  const web = await held(echoWeb());
  const tcp = await held(echoLines('TCP'));
  const dns = await dnsServer();
  targets.push(dns);
  const lines = await Promise.all(
    lineMethods.map(async (Method) => {
      const at = await held(echoLines(Method));
      const scheme = { IMAP4: 'imap' }[String(Method)] ?? Method.toLowerCase();
      const more = Method === 'SSH' ? { Passphrase: sentinel('passphrase') } : {};
      return [
        { Method, URL: `${scheme}://me:${sentinel('url')}@${at}` },
        { Method, URL: at, Options: { User: 'me', Password: sentinel('options') } },
        {
          Method,
          URL: at,
          Options: {
            User: 'me',
            Password: reference('KEPT'),
            ...(Method === 'SSH' ? {} : { ExpectBanner: reference('KEPT') }),
          },
        },
        { Method, URL: `${scheme}://me:${reference('ODD')}@${at}`, Options: more },
      ];
    }),
  );
  const headers = {
    Authorization: `Bearer ${sentinel('bearer')}`,
    Cookie: `a=${sentinel('cookie')}`,
    'X-Api-Key': sentinel('header'),
  };
  return [
    ...(await welcomeWishes(held, (pem) => search.addKey(pem))),
    ...lines
      .flat()
      .map((wish) =>
        wish.Method === 'MySQL' && wish.Options && 'ExpectBanner' in wish.Options
          ? { ...wish, Options: { User: 'me', Password: reference('KEPT') } }
          : wish,
      ),
    ...['yes', 'no'].flatMap((way) => [
      { Method: 'HTTP', URL: `http://me:${sentinel('url')}@${web}/${way}` },
      { Method: 'HTTP', URL: `http://${web}/${way}`, Options: { User: 'me', Password: sentinel('options') } },
      { Method: 'HTTP', URL: `http://${web}/${way}`, Options: { Headers: headers, ExpectText: 'nothing' } },
      {
        Method: 'HTTP',
        URL: `http://${web}/${way}?key=${reference('ODD')}`,
        Options: { Method: 'POST', Body: reference('KEPT'), ExpectText: reference('KEPT') },
      },
      {
        Method: 'HTTP',
        URL: `http://${web}/${way}`,
        Options: { Proxy: `http://me:${sentinel('proxy')}@${web}` },
      },
    ]),
    {
      Method: 'TCP',
      URL: tcp,
      Options: { Steps: [{ Expect: '220' }, { Send: `${reference('KEPT')}\n`, Expect: reference('KEPT') }] },
    },
    {
      Method: 'TCP',
      URL: tcp,
      Options: { Steps: [{ Send: `${reference('KEPT')}\n`, Expect: `other ${reference('KEPT')}` }] },
    },
    { Method: 'DNS', URL: dns.url, Options: { Expect: [reference('KEPT')] } },
    { Method: 'PING', URL: '127.0.0.1' },
    { Method: 'Script', URL: `log(secret('KEPT')); throw new Error(secret('KEPT') + secret('ODD'))` },
    {
      Method: 'Script',
      URL: `const password = secret('ODD'); await step(password, async () => {
        log(await http({ url: 'http://${web}/yes', headers: { 'X-Api-Key': password } }));
        await pop3({ host: '${tcp.split(':')[0]}', port: ${tcp.split(':')[1]}, user: 'me', password: secret('KEPT') });
      });`,
    },
  ];
}

test('no secret shows in a log, an answer, an event, an export or the database', {
  timeout: 180_000,
}, async () => {
  const { api } = system;
  const answers: string[] = [];
  const ask = async (method: string, route: string, body?: unknown, headers?: Record<string, string>) => {
    const answer = await api.call(method, route, body, headers);
    answers.push(`${method} ${route}: ${JSON.stringify(answer.headers)} ${answer.text}`);
    return answer;
  };
  await api.ok('POST', '/secrets', { Name: 'KEPT', Value: sentinel('kept') });
  await api.ok('POST', '/secrets', { Name: 'ODD', Value: `${sentinel('odd')}/@:%"?#` });
  await api.ok('POST', '/secrets', { Name: 'SSH', Value: sentinel('ssh') });
  await api.ok('POST', '/secrets', { Name: 'MYSQL', Value: sentinel('mysql') });
  await api.ok('POST', '/secrets', { Name: 'PEM', Value: search.addKey(makeCertificate().key) });
  const issue = ['keys', 'issue', '--account', 'default', '--user', 'watch', '--password', '-'];
  const issuing = promisify(execFile)(path.join(repositoryRoot, 'vantage'), [...issue, '--json'], {
    env: { PATH: process.env['PATH'], VANTAGE_DATABASE_URL: system.quickstart().database_url },
  });
  issuing.child.stdin?.end(`${sentinel('basic')}\n`);
  const issued = await issuing;
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(issued.stdout));

  const devices: string[] = [];
  const wished = await wishes();
  /** How checks of a Method ended. */
  const ends = new Map<string, Set<number>>();
  for (const [n, wish] of wished.entries()) {
    const body = { ...wish, ShortName: `s-${n}`, Timeout: 5, Retries: 2 };
    const created = await ask('POST', '/devices', body);
    expect(created, `${JSON.stringify(body)} ${created.text}`).toMatchObject({ status: 200 });
    devices.push(made.parse(created.body).device_id);
  }
  // What is refused says so without repeating it.
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

  for (const [n, device] of devices.entries()) {
    const at = `/devices/${device}`;
    await expect
      .poll(async () => checks.parse(await api.ok('GET', `${at}/checks`)).length, {
        timeout: 60_000,
        interval: 300,
      })
      .toBeGreaterThan(0);
    await ask('PUT', at, { FullName: 'renamed' });
    await ask('GET', `${at}?WithConfig=Y`);
    for (const what of ['checks', 'events', 'statistics', 'uptime'])
      for (const kind of ['json', 'csv', 'xml']) await ask('GET', `${at}/${what}?fmt=${kind}`);
    for (const kind of ['csv', 'xml'])
      await ask('GET', `${at}?fmt=${kind}&filename=device.${kind}&WithConfig=Y`);
    await ask('POST', `${at}/check`);
    const method = wished[n]?.Method ?? '';
    for (const { check_id, ResultCode } of checks.parse(await api.ok('GET', `${at}/checks`))) {
      ends.set(method, (ends.get(method) ?? new Set()).add(ResultCode));
      await ask('GET', `/checks/${check_id}`);
      for (const kind of ['json', 'csv', 'xml']) await ask('GET', `/checks/${check_id}/extended?fmt=${kind}`);
    }
  }
  for (const route of [
    '/devices',
    '/devices?fmt=csv&Limit=100',
    '/devices?fmt=xml&Limit=100',
    '/events?fmt=csv',
    '/events',
    '/secrets',
    '/account',
    '/agents',
  ])
    await ask('GET', route);
  // Logins that succeed and logins that are refused: both kinds were there.
  for (const method of [...lineMethods, 'HTTP'])
    expect([...(ends.get(method) ?? [])], method).toEqual(expect.arrayContaining([1]));
  for (const method of lineMethods)
    expect(
      [...(ends.get(method) ?? [])].some((code) => code === 8 || code === 3),
      method,
    ).toBe(true);
  expect(answers.filter((text) => text.includes('***')).length).toBeGreaterThan(30);
  expect(answers.flatMap(shown)).toEqual([]);

  const database = await withClient(system.quickstart().database_url, async (client) => {
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
  expect(database.length).toBeGreaterThan(100);
  expect(database.flatMap(shown)).toEqual([]);

  const keys = [key, system.quickstart().api_key_uw, system.quickstart().api_key_ur];
  const spared = ['secret.key', 'first-run.json', 'quickstart.json'];
  const files = readdirSync(system.dataDir, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !entry.parentPath.includes('postgres') && !spared.includes(entry.name),
    )
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(
    files.some((file) => file.endsWith('controller.log')) && files.some((file) => file.endsWith('agent.log')),
  ).toBe(true);
  for (const file of files) {
    const text = readFileSync(file, 'latin1');
    expect(
      keys.filter((key) => text.includes(key)),
      file,
    ).toEqual([]);
    if (!path.basename(file).startsWith('assignments.bin')) expect(shown(text), file).toEqual([]);
    else expect(statSync(file).mode & 0o777, file).toBe(0o600);
  }
  expect(files.some((file) => file.endsWith('assignments.bin'))).toBe(true);
  // The greeting names the key that was used: the specification has it so.
  const others = answers.filter((text) => !text.startsWith('GET /hello'));
  expect(keys.filter((key) => [...others, ...database].some((text) => text.includes(key)))).toEqual([]);
  expect(shown(system.output())).toEqual([]);
});
