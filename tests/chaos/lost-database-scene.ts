// The primary's host loses its network without a word, and a standby takes its name or its address. This runs in the
// controller's namespace; lost-database.test.ts makes the network around it and compares the report, one JSON line.
// Usage: lost-database-scene.ts TAG name|address
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@vantage/testing/postgres-url';
import { z } from 'zod';
import { promote, startPrimary, startReplica } from '../harness/database-servers.ts';
import { startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { databaseUrl, loseHost, moveToStandby, placeServer, type Way } from './database-hosts.ts';

const [, , tag = '', argument] = process.argv;
const way: Way = argument === 'address' ? 'address' : 'name';
const devices = 20;
/** A cluster manager takes a while to decide on a failover. */
const decidesMs = 5_000;
const limitMs = 180_000;
const counts = z.object({
  newest: z.number(),
  rows: z.number(),
  gaps: z.number(),
  down: z.number(),
  offline: z.number(),
});

await using stack = new AsyncDisposableStack();
const primary = await startPrimary();
stack.defer(() => primary.kill());
const standby = await startReplica(primary);
stack.defer(() => standby.kill());
stack.use(await placeServer(tag, 'p', primary));
stack.use(await placeServer(tag, 's', standby));
const system = stack.use(await startSystem({ env: { VANTAGE_DATABASE_URL: databaseUrl(way) } }));
const target = stack.use(await startTarget());
const ids: string[] = [];
for (let no = 0; no < devices; no += 1) {
  const body = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: `d${no}` };
  const made = await system.api.ok('POST', '/devices', { ...body, FrequencySeconds: 5, Timeout: 4 });
  ids.push(z.object({ device_id: z.string() }).parse(made).device_id);
}

const log = () => readFileSync(path.join(system.dataDir, 'log', 'controller.log'), 'utf8');
const read = (url: string) =>
  withClient(url, async (client) => {
    const { rows } =
      await client.query(`select coalesce(max(start_us), 0)::float8 as newest, count(*)::int as rows,
      (select coalesce(sum(dropped_results), 0) from gaps)::int as gaps,
      (select count(*) from events where type = 'Down')::int as down,
      (select count(*) from events where type = 'LocationOffline')::int as offline from checks`);
    return counts.parse(rows[0]);
  });
/** Seconds from `fromMs` until it holds. */
async function untilHolds(fromMs: number, holds: () => Promise<boolean> | boolean): Promise<number> {
  while (!(await holds())) {
    if (Date.now() - fromMs > limitMs) throw new Error(`too late:\n${log().slice(-5_000)}`);
    await delay(100);
  }
  return Math.round((Date.now() - fromMs) / 100) / 10;
}

await untilHolds(Date.now(), async () => (await read(primary.superuserUrl)).rows > 2 * devices);
const before = log().length;
const lostMs = Date.now();
loseHost(tag);
await primary.kill();
const said = untilHolds(lostMs, () => log().slice(before).includes('the database does not answer'));
await delay(decidesMs);
await promote(standby);
moveToStandby(tag, way);
const movedS = (Date.now() - lostMs) / 1000;
const newest = (await read(standby.superuserUrl)).newest;
const [restS, storedS, saidS] = await Promise.all([
  untilHolds(lostMs, async () => (await system.api.call('GET', '/devices')).status === 200),
  untilHolds(lostMs, async () => (await read(standby.superuserUrl)).newest > Math.max(newest, lostMs * 1000)),
  said,
]);
for (const id of ids) await system.api.ok('PUT', `/devices/${id}`, { Enabled: false });
for (let hits = -1; hits !== target.hits.length; await delay(6_000)) hits = target.hits.length;
await untilHolds(Date.now(), async () => {
  const { rows, gaps } = await read(standby.superuserUrl);
  return rows + gaps >= target.hits.length;
});
const after = await read(standby.superuserUrl);
const lines = log()
  .slice(before)
  .split('\n')
  .filter((line) => /the database (does not answer|answers again)/.test(line)).length;
process.stdout.write(
  `${JSON.stringify({ way, movedS, restS, storedS, saidS, lines, hits: target.hits.length, ...after })}\n`,
);
