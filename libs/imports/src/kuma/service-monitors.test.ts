import { probeFor } from '@vantage/probes';
import { expect, test } from 'vitest';
import type { FoundCheck } from '../found-check.ts';
import { createKumaDatabase } from '../testing/fake-kuma-database.ts';
import { readKuma } from './read-kuma.ts';

/** Reads the only monitor of a database of 2.x. */
function read(monitor: Readonly<Record<string, string | number>>): FoundCheck | string {
  using database = createKumaDatabase(2);
  database.insert('monitor', { id: 1, name: 'One', ...monitor });
  const { checks, refused } = readKuma(database.file);
  const [check] = checks;
  if (check === undefined) return refused[0]?.text ?? '';
  const probe = probeFor(check.method) ?? expect.fail(`no Method ${check.method}`);
  const options = Object.fromEntries(
    Object.entries(check.options ?? {}).filter(([, value]) => value !== undefined),
  );
  expect(probe.parseTarget(check.url)).toMatchObject({ ok: true });
  expect(probe.options.safeParse(options).error).toBeUndefined();
  return check;
}

test('Redis: the address without its parameters', () => {
  const type = 'redis';
  expect(
    read({ type, database_connection_string: 'rediss://:pw@cache.example:6380/2?x=1', ignore_tls: 1 }),
  ).toMatchObject({
    method: 'Redis',
    url: 'rediss://:pw@cache.example:6380/2',
    options: { TLS: { Verify: false } },
    lost: ['the parameters of its address'],
  });
  expect(read({ type, database_connection_string: 'cache.example' })).toBe(
    'has no address of the form redis://user:password@host:port',
  );
});

test.each([
  ['', undefined, []],
  ['?sslmode=disable', undefined, []],
  ['?sslmode=require', { Mode: 'StartTLS', Verify: false }, []],
  ['?sslmode=verify-full&options=x', { Mode: 'StartTLS' }, ['the parameter options of its address']],
])('PostgreSQL with the parameters %j', (parameters, TLS, lost) => {
  const database_connection_string = `postgres://me:pw@db.example:5433/shop${parameters}`;
  expect(read({ type: 'postgres', database_connection_string, database_query: 'select 2' })).toMatchObject({
    method: 'PostgreSQL',
    url: 'postgres://me:pw@db.example:5433/shop',
    options: { Query: 'select 2', TLS },
    lost,
  });
});

test.each([
  ['broker.example', {}, 'mqtt://broker.example:1883', []],
  ['mqtts://broker.example', {}, 'mqtts://broker.example:1883', []],
  [
    'broker.example',
    { mqtt_check_type: 'json-query', mqtt_success_message: '' },
    'mqtt://broker.example:1883',
    ['its JSON query of the message'],
  ],
])('MQTT at %s with %j', (hostname, more, url, lost) => {
  const login = { mqtt_username: 'me', mqtt_password: 'pw' };
  const topic = { mqtt_topic: 'a/b', mqtt_success_message: 'online' };
  const check = read({ type: 'mqtt', hostname, port: 1883, ...login, ...topic, ...more });
  expect(check).toMatchObject({
    method: 'MQTT',
    url,
    options: { User: 'me', Password: 'pw', Topic: 'a/b' },
    lost,
  });
  const expected = lost.length === 0 ? 'online' : undefined;
  expect(typeof check === 'string' ? check : check.options?.['ExpectMessage']).toBe(expected);
});

test('MQTT over a WebSocket is refused by name', () => {
  expect(read({ type: 'mqtt', hostname: 'wss://broker.example' })).toMatch(/over a WebSocket/);
});

test('WebSocket: the upgrade is all, as in Kuma', () => {
  const type = 'websocket-upgrade';
  expect(read({ type, url: 'wss://live.example/feed', ws_subprotocol: 'chat' })).toMatchObject({
    method: 'WebSocket',
    url: 'wss://live.example/feed',
    options: { Subprotocol: 'chat', Ping: false },
    lost: [],
  });
  expect(read({ type, url: 'https://live.example' })).toBe('has no address of the form ws://host/path');
});

test('gRPC: a call of the health protocol is one; another call leaves its port', () => {
  const type = 'grpc-keyword';
  const health = { grpc_service_name: 'Health', grpc_method: 'check', grpc_body: '{"service": "a.B"}' };
  expect(
    read({
      type,
      grpc_url: 'api.example:443',
      ...health,
      grpc_enable_tls: 1,
      grpc_metadata: '{"x-key": "k"}',
      keyword: 'SERVING',
    }),
  ).toMatchObject({
    method: 'gRPC',
    url: 'grpcs://api.example:443',
    options: { Service: 'a.B', Metadata: { 'x-key': 'k' } },
    lost: [],
  });
  expect(read({ type, grpc_url: 'api.example:9090', ...health, keyword: 'NOT' })).toMatchObject({
    url: 'grpc://api.example:9090',
    lost: ['its keyword "NOT": SERVING is expected'],
  });
  const other = { grpc_service_name: 'Orders', grpc_method: 'list', keyword: 'x' };
  expect(read({ type, grpc_url: 'api.example:9090', ...other })).toMatchObject({
    method: 'TCP',
    url: 'tcp://api.example:9090',
  });
});
