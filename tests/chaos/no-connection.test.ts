// The database has no free connection for the controller: when it starts, and later, when all of its connections end.
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import {
  type DatabaseServer,
  type DatabaseSwitch,
  hasPrograms,
  startPrimary,
  startSwitch,
} from '../harness/database-servers.ts';
import { type System, startSystem } from '../harness/system.ts';
import { fast, watchDevices } from './one-second-devices.ts';

const devices = 20;
const noneMs = 20_000;

let server: DatabaseServer;
let database: DatabaseSwitch;
let system: System;
beforeAll(async () => {
  if (!hasPrograms) return;
  server = await startPrimary();
  database = await startSwitch(server);
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
  await server?.kill();
});

const asOperator = (...statements: readonly string[]) =>
  withClient(server.superuserUrl, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
const takeAll = () =>
  asOperator(
    'alter role vantage connection limit 0',
    "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'vantage'",
  );
const giveBack = () => asOperator('alter role vantage connection limit -1');

test('a start without a free connection waits for one', async ({ skip }) => {
  skip(!hasPrograms, 'this machine lacks the programs of PostgreSQL 15');
  await takeAll();
  const starting = startSystem({ env: { ...fast, VANTAGE_DATABASE_URL: database.url } });
  let isUp = false;
  void starting.then(
    () => {
      isUp = true;
    },
    () => {},
  );
  await delay(10_000);
  expect(isUp).toBe(false);
  await giveBack();
  const fromMs = performance.now();
  system = await starting;
  process.stdout.write(`ledger: start after ${Math.round(performance.now() - fromMs)} ms\n`);
});

test('20 s without any connection lose no check and make no device Down', async ({ skip }) => {
  skip(!hasPrograms, 'this machine lacks the programs of PostgreSQL 15');
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  await using watched = await watchDevices(system, server.superuserUrl, devices);
  const { target } = watched;
  const hitsBefore = target.hits.length;
  await takeAll();
  await delay(noneMs);
  const meanwhile = target.hits.length - hitsBefore;
  await giveBack();
  const storedMs = await watched.untilBack();
  const found = await watched.settle();
  process.stdout.write(`ledger: ${JSON.stringify({ meanwhile, storedMs, ...found })}\n`);
  expect(found).toMatchObject({ checks: found.hits, down: 0, offline: 0, gaps: 0 });
  expect(meanwhile).toBeGreaterThan((devices * noneMs) / 2_000);
});
