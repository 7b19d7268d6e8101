import { expect, test } from 'vitest';
import { loadConfig } from './controller-config.ts';

const load = (env: Record<string, string>) =>
  loadConfig({
    env,
    cwd: '/srv',
    readText: () => {
      throw new Error('no such file');
    },
  });

test('nothing set: everything has its default', () => {
  const result = load({});
  expect(result.ok && result.config).toMatchObject({
    dataDir: '/srv/data',
    httpsPort: 8443,
    agentPort: 8444,
    retentionDays: 35,
    backupMaxDays: 2,
    secretKeyFile: '/srv/data/secret.key',
    testTimeScale: 1,
  });
});

test('every problem is named at once', () => {
  const result = load({
    VANTAGE_HTTPS_PORT: '70000',
    VANTAGE_LISTEN: 'everywhere',
    VANTAGE_TLS_CERT: 'a.pem',
    VANTAGE_DATEBASE_URL: 'postgres://x/y',
    VANTAGE_AGENT_TOKEN: 't',
    VANTAGE_TRUSTED_PROXIES: '10.0.0.0/33',
    VANTAGE_TEST_TIME_SCALE: '60',
    VANTAGE_SETTINGS_FILE: '/nowhere',
  });
  expect(result.ok ? [] : result.problems).toEqual([
    'VANTAGE_SETTINGS_FILE cannot be read: no such file',
    'VANTAGE_DATEBASE_URL is not a setting; did you mean VANTAGE_DATABASE_URL?',
    'VANTAGE_TEST_TIME_SCALE is for tests only (NODE_ENV=test)',
    'VANTAGE_TLS_CERT and VANTAGE_TLS_KEY must be given together',
    'VANTAGE_HTTPS_PORT must be a port: 0 to 65535',
    'VANTAGE_LISTEN must be an IP address',
    'VANTAGE_TRUSTED_PROXIES must be addresses or networks, comma-separated: 192.0.2.1, 10.0.0.0/8',
  ]);
});

test('a header for sign-in needs a trusted proxy, and is read in small letters', () => {
  const header = { VANTAGE_SIGN_IN_HEADER: 'X-Forwarded-Email' };
  const alone = load(header);
  expect(alone.ok ? [] : alone.problems).toEqual([
    'VANTAGE_SIGN_IN_HEADER counts from trusted proxies only: set VANTAGE_TRUSTED_PROXIES, too',
  ]);
  const both = load({ ...header, VANTAGE_TRUSTED_PROXIES: '10.0.0.1' });
  expect(both.ok && both.config.signInHeader).toBe('x-forwarded-email');
  expect(load({ VANTAGE_SIGN_IN_HEADER: 'a b', VANTAGE_TRUSTED_PROXIES: '10.0.0.1' }).ok).toBe(false);
});

test('time may be compressed in tests', () => {
  const result = load({ VANTAGE_TEST_TIME_SCALE: '60', NODE_ENV: 'test' });
  expect(result.ok && result.config.testTimeScale).toBe(60);
});

test('the sender of e-mails is one address, also with a name, and the public address has no slash at the end', () => {
  const config = load({
    VANTAGE_MAIL_FROM: 'Vantage at Example <vantage@example.org>',
    VANTAGE_PUBLIC_URL: 'https://vantage.example.org/base/',
    VANTAGE_SMTP_URL: 'smtps://me:secret@mail.example.org',
    VANTAGE_TELEGRAM_URL: 'https://telegram.example.org/base/',
  });
  expect(config).toMatchObject({
    ok: true,
    config: {
      mailFrom: 'Vantage at Example <vantage@example.org>',
      publicUrl: 'https://vantage.example.org/base',
      smtpUrl: 'smtps://me:secret@mail.example.org',
      telegramUrl: 'https://telegram.example.org/base',
    },
  });
});

test.each([
  ['VANTAGE_MAIL_FROM', 'one@example.org, two@example.org'],
  ['VANTAGE_MAIL_FROM', 'Name\r\nBcc: x <one@example.org>'],
  ['VANTAGE_MAIL_FROM', '<one@example.org>'],
  ['VANTAGE_SMTP_URL', 'mail.example.org:25'],
  ['VANTAGE_TELEGRAM_URL', 'https://me:secret@telegram.example.org'],
  ['VANTAGE_PUBLIC_URL', 'vantage.example.org'],
  ['VANTAGE_HEARTBEAT_URL', 'ftp://ping.example'],
])('%s cannot be %j', (name, value) => {
  expect(load({ [name]: value })).toMatchObject({ ok: false });
});

test('a read replica is one of a database that is named', () => {
  const url = 'postgres://u:p@db/vantage';
  const read = { VANTAGE_DATABASE_READ_URL: 'postgres://u:p@standby/vantage' };
  expect(load({ ...read, VANTAGE_DATABASE_URL: url })).toMatchObject({
    ok: true,
    config: { readReplica: { url: read.VANTAGE_DATABASE_READ_URL, maxAgeMs: 10_000 } },
  });
  expect(load(read)).toMatchObject({
    problems: ['VANTAGE_DATABASE_READ_URL needs VANTAGE_DATABASE_URL: it names a replica of that database'],
  });
  expect(load({ VANTAGE_DATABASE_READ_MAX_SECONDS: '1' })).toMatchObject({ ok: false });
});

test('the roles of a process are a part of all roles, with a database of its own', () => {
  const url = 'postgres://u:p@db/vantage';
  const rolesOf = (env: Record<string, string>) => {
    const result = load(env);
    return result.ok ? [...result.config.roles] : result.problems;
  };
  expect(rolesOf({})).toEqual(['api', 'gateway', 'worker']);
  expect(rolesOf({ VANTAGE_DATABASE_URL: url, VANTAGE_ROLES: 'worker, api' })).toEqual(['worker', 'api']);
  expect(rolesOf({ VANTAGE_ROLES: 'gateway,api,worker' })).toEqual(['gateway', 'api', 'worker']);
  expect(rolesOf({ VANTAGE_ROLES: 'api' })).toEqual([
    'VANTAGE_ROLES needs VANTAGE_DATABASE_URL: the embedded PostgreSQL is for one process with all roles',
  ]);
  expect(rolesOf({ VANTAGE_DATABASE_URL: url, VANTAGE_ROLES: 'api,ingest' })).toEqual([
    'VANTAGE_ROLES must be roles, comma-separated: api, gateway, worker',
  ]);
});
