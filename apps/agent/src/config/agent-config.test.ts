import { expect, test } from 'vitest';
import { type AgentConfigResult, loadConfig } from './agent-config.ts';

const files: Record<string, string> = { '/etc/token': 'from-file\n', '/etc/ca.pem': 'PEM' };

const load = (env: Record<string, string>): AgentConfigResult =>
  loadConfig({
    env,
    cwd: '/srv',
    readText(file) {
      const text = files[file];
      if (text === undefined) throw new Error(`no file ${file}`);
      return text;
    },
  });

const needed = { VANTAGE_AGENT_ENDPOINTS: 'https://a:8444', VANTAGE_AGENT_TOKEN: 't0k' };

test('with the required settings the others have their defaults', () => {
  const result = load({ ...needed, PATH: '/bin' });
  expect(result).toMatchObject({
    ok: true,
    config: {
      endpoints: ['https://a:8444'],
      dataDir: '/srv/agent-data',
      concurrency: 500,
      outboxBytes: 256 * 1024 * 1024,
      logLevel: 'info',
      testTimeScale: 1,
    },
  });
  expect(JSON.stringify(result)).not.toContain('t0k');
});

test('the token can come from a file; the endpoints are a list', () => {
  const result = load({
    VANTAGE_AGENT_ENDPOINTS: 'https://a:8444/, https://[::1]:9',
    VANTAGE_AGENT_TOKEN_FILE: '/etc/token',
    VANTAGE_CA_FILE: '/etc/ca.pem',
  });
  expect(result).toMatchObject({
    ok: true,
    config: { endpoints: ['https://a:8444', 'https://[::1]:9'], ca: 'PEM' },
  });
  expect(result.ok && result.config.token?.reveal()).toBe('from-file');
});

test('every problem is named at once', () => {
  const result = load({
    VANTAGE_AGENT_ENDPOINTS: 'http://a:8444',
    VANTAGE_AGENT_CONCURRENCY: '0',
    VANTAGE_AGENT_OUTBOX_MB: '1.5',
    VANTAGE_CA_FILE: '/etc/none',
    VANTAGE_LOG_LEVEL: 'loud',
    VANTAGE_TEST_TIME_SCALE: '60',
    VANTAGE_AGENT_COLOUR: 'red',
  });
  const problems = result.ok ? '' : result.problems.join('\n');
  for (const name of [
    'ENDPOINTS must be',
    'CONCURRENCY must be',
    'OUTBOX_MB must be',
    'CA_FILE cannot be read',
    'LOG_LEVEL must be',
    'TIME_SCALE is for tests only',
    'COLOUR is not a setting',
    'TOKEN or VANTAGE_AGENT_TOKEN_FILE is missing',
  ]) {
    expect(problems).toContain(name);
  }
});

test.each(['https://a:8444/path', 'https://user@a:8444', 'a:8444', 'https://a?x=1'])(
  '%s is no endpoint',
  (url) => {
    expect(load({ ...needed, VANTAGE_AGENT_ENDPOINTS: url }).ok).toBe(false);
  },
);
