// The name servers of an agent's host fall silent while the agent must connect anew: devices with names are not Down,
// devices with addresses are checked on, and everything comes when there are names again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { serveNames } from '@vantage/probes/testing';
import { createTestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { startFarAgent } from './far-agent.ts';
import { fast } from './one-second-devices.ts';

const each = 10;
const goneMs = 40_000;
const soon = { timeout: 90_000, interval: 250 };
const known = ['controller.test', 'target.test'];
const created = z.object({ device_id: z.string() });
const found = z.object({
  byAddress: z.number(),
  named: z.number(),
  /** ResultCode 10: the agent cannot check. */
  own: z.number(),
  /** ResultCode 5: the name does not resolve. */
  unresolved: z.number(),
  down: z.number(),
});

const readLedger = (url: string) =>
  withClient(url, async (client) => {
    const { rows } = await client.query(`
        select count(*) filter (where url like '127%')::int as "byAddress", count(*) filter (where url like 'target%' and code = 1)::int as named,
          count(*) filter (where code = 10)::int as own, count(*) filter (where code = 5)::int as unresolved,
          (select count(*) from events where type in ('Error', 'Down'))::int as down
        from checks join devices using (device_no)`);
    return found.parse(rows[0]);
  });

/** A name server on port 53 that knows two names, and is silent while `isGone`. */
const serveKnown = (isGone: () => boolean) =>
  serveNames(
    ({ name, type }) => {
      if (isGone()) return undefined;
      if (!known.includes(name)) return { rcode: name === '.' || name === '' ? 0 : 3 };
      return { answers: type === 'A' ? [{ type: 'A', name, ttl: 1, data: '127.0.0.1' }] : [] };
    },
    { host: '127.0.0.77', port: 53 },
  );

test('an agent whose name servers fall silent makes no device Down, and loses no check by address', async ({
  skip,
}) => {
  skip(process.getuid?.() !== 0, 'a resolv.conf of its own needs root');
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-names-'));
  const resolvConf = path.join(folder, 'resolv.conf');
  writeFileSync(resolvConf, 'nameserver 127.0.0.77\n');
  let isGone = false;
  await using _names = await serveKnown(() => isGone);
  await using database = await createTestDatabase();
  const env = { ...fast, VANTAGE_DATABASE_URL: database.url, VANTAGE_TLS_NAMES: 'controller.test' };
  await using system = await startSystem({ env });
  const bind = `mount --bind ${resolvConf} /etc/resolv.conf && exec "$0" "$@"`;
  const prefix = ['unshare', '--mount', 'sh', '-c', bind];
  await using far = await startFarAgent(system, {
    location: 'far',
    host: 'controller.test',
    env: fast,
    prefix,
  });
  onTestFailed(() => void process.stdout.write(far.output().slice(-10_000)));
  await using byAddress = await startTarget();
  await using byName = await startTarget();
  const read = () => readLedger(database.url);
  const ids: string[] = [];
  for (let i = 0; i < 2 * each; i += 1) {
    const URL = i < each ? `127.0.0.1:${byAddress.port}` : `target.test:${byName.port}`;
    const device = { Method: 'TCP', URL, ShortName: `d${i}`, Frequency: 1, Timeout: 5, Locations: ['far'] };
    ids.push(created.parse(await system.api.ok('POST', '/devices', device)).device_id);
  }
  await vi.waitFor(async () => expect((await read()).named).toBeGreaterThan(3 * each), soon);
  isGone = true;
  far.wire.frozen = true;
  await delay(1_000);
  const hitsBefore = byAddress.hits.length;
  far.wire.frozen = false;
  await delay(goneMs);
  const meanwhile = byAddress.hits.length - hitsBefore;
  const stateThen = await far.state();
  isGone = false;
  const fromMs = performance.now();
  await vi.waitFor(async () => expect(await far.state()).toBe('Connected'), soon);
  const backMs = Math.round(performance.now() - fromMs);
  for (const id of ids) await system.api.ok('PUT', `/devices/${id}`, { Enabled: false });
  await delay(10_000);
  const hits = { byAddress: byAddress.hits.length, named: byName.hits.length };
  await vi.waitFor(async () => expect(await read()).toMatchObject(hits), { timeout: 30_000 }).catch(() => {});
  const after = await read();
  process.stdout.write(`ledger: ${JSON.stringify({ meanwhile, stateThen, backMs, hits, after })}\n`);
  rmSync(folder, { recursive: true, force: true });
  expect(stateThen).not.toBe('Connected');
  expect(meanwhile).toBeGreaterThan((each * goneMs) / 2_000);
  expect(after).toMatchObject({ ...hits, unresolved: 0, down: 0 });
  expect(after.own).toBeGreaterThan(0);
});
