// A backup is restored while an agent is cut off: it comes back with results of a device that the database has
// forgotten.
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import {
  cutReplica,
  type DatabaseServer,
  type DatabaseSwitch,
  hasPrograms,
  promote,
  startPrimary,
  startReplica,
  startSwitch,
} from '../harness/database-servers.ts';
import { type System, startSystem } from '../harness/system.ts';
import { startTarget, type Target } from '../harness/target.ts';
import { startFarAgent } from './far-agent.ts';

/** Each device is checked once a second. */
const env = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
const soon = { timeout: 60_000, interval: 250 };
const created = z.object({ device_id: z.string() });
const rowOf = z.object({ device_no: z.number(), n: z.number(), strange: z.number() });

async function watch(system: System, target: Target, Locations: readonly string[]): Promise<string> {
  const device = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, Frequency: 1, Timeout: 5, Locations };
  const ShortName = `d${target.port}`;
  return created.parse(await system.api.ok('POST', '/devices', { ...device, ShortName })).device_id;
}

/**
 * The rows of a device in the database at `url`; undefined: it does not know it. `strange`: not of the Location
 * `local`, or from before the device.
 */
const rowsIn = (url: string, deviceId: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query(
      `select device_no, count(c.start_us)::int as n,
         (count(*) filter (where c.start_us < d.created_us or l.name = 'far'))::int as strange
       from devices d left join checks c using (device_no) left join locations l on l.location_no = c.location_no
       where device_id = '${deviceId}' group by 1`,
    );
    return rows[0] === undefined ? undefined : rowOf.parse(rows[0]);
  });

/** The backup: what a replica has when it stops receiving. */
async function backUp(primary: DatabaseServer): Promise<DatabaseServer> {
  const replica = await startReplica(primary);
  await delay(1_000);
  await cutReplica(replica);
  return replica;
}

async function restore(
  database: DatabaseSwitch,
  dead: DatabaseServer,
  backup: DatabaseServer,
): Promise<void> {
  database.to(undefined);
  await dead.kill();
  await promote(backup);
  database.to(backup);
}

const quarantinedIn = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query('select count(*)::int as n from quarantined');
    return z.object({ n: z.number() }).parse(rows[0]).n;
  });

test('an agent that was away during a restore brings no result of a forgotten device into another one', async ({
  skip,
}) => {
  skip(!hasPrograms, 'this machine lacks the programs of PostgreSQL 15');
  let primary = await startPrimary();
  await using database = await startSwitch(primary);
  await using system = await startSystem({ env: { ...env, VANTAGE_DATABASE_URL: database.url } });
  await using far = await startFarAgent(system, { location: 'far', env });
  onTestFailed(() => void process.stdout.write(`${system.output()}\n${far.output()}`.slice(-20_000)));
  try {
    const rowsOf = (deviceId: string) => rowsIn(database.url, deviceId);
    const flows = (deviceId: string) =>
      vi.waitFor(async () => expect((await rowsOf(deviceId))?.n ?? 0).toBeGreaterThan(3), soon);
    await using old = await startTarget();
    const kept = await watch(system, old, ['far']);
    await flows(kept);
    const backup = await backUp(primary);
    await using gone = await startTarget();
    const forgotten = await watch(system, gone, ['far']);
    await flows(forgotten);
    const { device_no: forgottenNo } = (await rowsOf(forgotten)) ?? { device_no: 0 };
    far.wire.frozen = true;
    await delay(10_000);
    await restore(database, primary, backup);
    primary = backup;
    await vi.waitFor(async () => expect((await system.api.call('GET', '/hello')).status).toBe(200), soon);
    await using fresh = await startTarget();
    let another = '';
    await vi.waitFor(async () => {
      another = await watch(system, fresh, ['local']);
    }, soon);
    await flows(another);
    far.wire.frozen = false;
    await vi.waitFor(async () => expect(await far.state()).toBe('Connected'), soon);
    // The forgotten device is checked no more, and the kept one has every result of its target.
    await vi.waitFor(
      async () => expect((await rowsOf(kept))?.n).toBeGreaterThanOrEqual(old.hits.length - 2),
      soon,
    );
    await delay(5_000);
    const [atKept, atAnother] = [await rowsOf(kept), await rowsOf(another)];
    const hits = { kept: old.hits.length, forgotten: gone.hits.length, another: fresh.hits.length };
    const quarantined = await quarantinedIn(database.url);
    process.stdout.write(
      `ledger: ${JSON.stringify({ hits, forgottenNo, kept: atKept, another: atAnother, quarantined })}\n`,
    );
    expect(await rowsOf(forgotten)).toBeUndefined();
    // The restored database gives the number again; its results know the device by its creation, too.
    expect(atAnother?.device_no).toBe(forgottenNo);
    expect(atAnother?.strange).toBe(0);
    expect(atAnother?.n).toBeLessThanOrEqual(fresh.hits.length);
    expect(atKept?.n).toBeLessThanOrEqual(old.hits.length);
    // What nobody can store any more is named.
    expect(quarantined).toBe(gone.hits.length);
  } finally {
    await primary.kill();
  }
});
