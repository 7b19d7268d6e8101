// An operator's session holds tables in ACCESS EXCLUSIVE mode, as VACUUM FULL and a forgotten transaction do.
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type System, startSystem } from '../harness/system.ts';
import { fast, watchDevices } from './one-second-devices.ts';

const devices = 20;
const heldMs = 20_000;

let system: System;
beforeAll(async () => {
  system = await startSystem({ env: fast });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
});

const url = () => system.quickstart().database_url;

test.for(['check_rows', 'devices', 'agents', 'events'])(
  'a lock on %s that is held for 20 s loses no check, makes none Down, and is over with the lock',
  async (table) => {
    onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
    await using watched = await watchDevices(system, url(), devices);
    const { target } = watched;
    const hitsBefore = target.hits.length;
    const heldHits = await withClient(url(), async (client) => {
      await client.query('begin');
      await client.query(`lock table ${table} in access exclusive mode`);
      await delay(heldMs);
      await client.query('rollback');
      return target.hits.length - hitsBefore;
    });
    const storedMs = await watched.untilBack();
    const found = await watched.settle();
    process.stdout.write(`ledger: ${JSON.stringify({ table, heldHits, storedMs, ...found })}\n`);
    expect(found).toMatchObject({ checks: found.hits, down: 0, offline: 0, gaps: 0, quarantined: 0 });
    expect(heldHits).toBeGreaterThan((devices * heldMs) / 2_000);
  },
);
