import { expect, test } from 'vitest';
import { quickstartOf, quickstartText } from './quickstart.ts';

const ready = {
  type: 'ready',
  base_url: 'https://localhost:8443/v1.1',
  agent_endpoint: 'https://localhost:8444',
  ca_file: '/data/tls/ca.pem',
  agent_ca_file: '/data/tls/ca.pem',
  database_url: 'postgres://vantage@/vantage?host=/tmp',
} as const;
const keys = { api_key_uw: 'a'.repeat(64), api_key_ur: 'b'.repeat(64) };
const quickstart = quickstartOf(ready, keys, { controller: 1, agent: 2 });

test('the first start prints all that quickstart.json holds', () => {
  expect(JSON.parse(quickstartText(quickstart, true, '/data'))).toEqual({ ...quickstart, ...keys });
});

test('a later start prints the file that holds the keys instead of the keys', () => {
  const text = quickstartText(quickstart, false, '/data');
  expect(text).not.toMatch(/[ab]{64}/);
  expect(JSON.parse(text)).toMatchObject({
    base_url: ready.base_url,
    pids: { controller: 1, agent: 2 },
    keys_file: '/data/first-run.json',
  });
});
