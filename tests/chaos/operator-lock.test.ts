// An operator's session holds tables in ACCESS EXCLUSIVE mode, as VACUUM FULL and a forgotten transaction do.
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { withClient } from '../harness/postgres-url.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';

/** Each device is checked once a second. */
const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
const devices = 20;
const heldMs = 20_000;
const count = z.object({ n: z.number() });

let system: System;
let target: Target;
beforeAll(async () => {
  system = await startSystem({ env: fast });
  target = await startTarget();
  for (let i = 0; i < devices; i += 1)
    await system.api.ok('POST', '/devices', {
      Method: 'TCP',
      URL: `127.0.0.1:${target.port}`,
      ShortName: `lock-${i}`,
      Frequency: 1,
      Timeout: 5,
    });
});
afterAll(async () => {
  await system?.[Symbol.asyncDispose]();
  await target?.[Symbol.asyncDispose]();
});

const url = () => system.quickstart().database_url;
const numberOf = (statement: string) =>
  withClient(url(), async (client) => count.parse((await client.query(statement)).rows[0]).n);
const stored = () => numberOf('select count(*)::int as n from checks');

test.for(['check_rows', 'devices', 'agents', 'events'])(
  'a lock on %s that is held for 20 s loses no check, makes none Down, and is over with the lock',
  async (table) => {
    onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(devices), { timeout: 30_000 });
    const hitsBefore = target.hits.length;
    const heldHits = await withClient(url(), async (client) => {
      await client.query('begin');
      await client.query(`lock table ${table} in access exclusive mode`);
      await delay(heldMs);
      await client.query('rollback');
      return target.hits.length - hitsBefore;
    });
    const freedMs = performance.now();
    const due = target.hits.length;
    await vi.waitFor(async () => expect(await stored()).toBeGreaterThanOrEqual(due), {
      timeout: 60_000,
      interval: 250,
    });
    const storedMs = Math.round(performance.now() - freedMs);
    const down = await numberOf(
      "select count(*)::int as n from events where type in ('Down', 'LocationOffline')",
    );
    const gaps = await numberOf('select count(*)::int as n from gaps');
    const quarantined = await numberOf('select count(*)::int as n from quarantined');
    process.stdout.write(
      `ledger: ${JSON.stringify({ table, heldHits, storedMs, down, gaps, quarantined })}\n`,
    );
    expect({ down, gaps, quarantined }).toEqual({ down: 0, gaps: 0, quarantined: 0 });
    expect(heldHits).toBeGreaterThan((devices * heldMs) / 2_000);
  },
);
