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

test.each([
  ['postgres://vantage@/vantage?host=/tmp', 'postgres://vantage@/vantage?host=/tmp'],
  [
    'postgres://me:pw@db.example:5432/v?sslmode=require',
    'postgres://me:***@db.example:5432/v?sslmode=require',
  ],
  ['postgresql://me:p@w:/x@db.example/v', 'postgresql://me:***@db.example/v'],
  [
    'postgres://me@db.example/v?password=pw&sslpassword=pw&a=b',
    'postgres://me@db.example/v?password=***&sslpassword=***&a=b',
  ],
])('a later start prints the database without its password: %s', (database_url, printed) => {
  const given = { ...quickstart, database_url };
  expect(JSON.parse(quickstartText(given, false, '/data'))).toMatchObject({ database_url: printed });
  expect(JSON.parse(quickstartText(given, true, '/data'))).toMatchObject({ database_url });
});
