import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';

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

test('time may be compressed in tests', () => {
  const result = load({ VANTAGE_TEST_TIME_SCALE: '60', NODE_ENV: 'test' });
  expect(result.ok && result.config.testTimeScale).toBe(60);
});
