// The database has no free connection for the controller: when it starts, and later, when all of its connections end.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { withClient } from '../harness/postgres-url.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';
import {
  type DatabaseServer,
  type DatabaseSwitch,
  hasPrograms,
  startPrimary,
  startSwitch,
} from './database-servers.ts';

/** Each device is checked once a second. */
const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
const devices = 20;
const noneMs = 20_000;
const count = z.object({ n: z.number() });

let server: DatabaseServer;
let database: DatabaseSwitch;
let system: System;
let target: Target;
beforeAll(async () => {
  if (!hasPrograms) return;
  server = await startPrimary();
  database = await startSwitch(server);
  target = await startTarget();
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
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
const numberOf = (statement: string) =>
  withClient(server.superuserUrl, async (client) => count.parse((await client.query(statement)).rows[0]).n);

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
  for (let i = 0; i < devices; i += 1)
    await system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: `127.0.0.1:${target.port}`,
      ShortName: `full-${i}`,
      Frequency: 1,
      Timeout: 5,
    });
  const stored = () => numberOf('select count(*)::int as n from checks');
  await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(devices), { timeout: 30_000 });
  const hitsBefore = target.hits.length;
  await takeAll();
  await delay(noneMs);
  const meanwhile = target.hits.length - hitsBefore;
  await giveBack();
  const fromMs = performance.now();
  const due = target.hits.length;
  await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(due), {
    timeout: 60_000,
    interval: 250,
  });
  const storedMs = Math.round(performance.now() - fromMs);
  const down = await numberOf(
    "select count(*)::int as n from events where type in ('Down', 'LocationOffline')",
  );
  const gaps = await numberOf('select count(*)::int as n from gaps');
  process.stdout.write(`ledger: ${JSON.stringify({ meanwhile, storedMs, down, gaps })}\n`);
  expect({ down, gaps }).toEqual({ down: 0, gaps: 0 });
  expect(meanwhile).toBeGreaterThan((devices * noneMs) / 2_000);
});
