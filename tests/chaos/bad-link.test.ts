// An agent on a line with a round trip of two seconds that loses a fifth of all pieces, in true time.
import { setTimeout as delay } from 'node:timers/promises';
import { createTestDatabase } from '@vantage/testing/database';
import { withClient } from '@vantage/testing/postgres-url';
import { expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { startFarAgent } from './far-agent.ts';

const devices = 60;
const badMs = 150_000;
const facts = z.object({
  checks: z.number(),
  bad: z.number(),
  gaps: z.number(),
  worstS: z.number().nullable(),
});
const created = z.object({ device_id: z.string() });
const soon = { timeout: 120_000, interval: 500 };

test('a round trip of 2 s and a loss of 20 % lose no check and make nothing Down or offline', async () => {
  await using database = await createTestDatabase();
  await using system = await startSystem({ env: { VANTAGE_DATABASE_URL: database.url } });
  await using far = await startFarAgent(system, { location: 'far' });
  onTestFailed(() => void process.stdout.write(far.output().slice(-10_000)));
  const read = () =>
    withClient(database.url, async (client) =>
      facts.parse(
        (
          await client.query(`select count(*)::int as checks, max((arrived_us - end_us) / 1e6)::float8 as "worstS",
            (select count(*) from events where type in ('Error', 'Down', 'LocationOffline'))::int as bad,
            (select count(*) from gaps)::int as gaps from checks`)
        ).rows[0],
      ),
    );
  await using target = await startTarget();
  const ids: string[] = [];
  for (let i = 0; i < devices; i += 1) {
    const device = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: `d${i}`, Locations: ['far'] };
    const answer = await system.api.ok('POST', '/devices', { ...device, Frequency: 1, Timeout: 5 });
    ids.push(created.parse(answer).device_id);
  }
  await vi.waitFor(async () => expect((await read()).checks).toBeGreaterThanOrEqual(devices), soon);
  const connectionsBefore = far.wire.connections;
  far.wire.manner = { latencyMs: 1_000, loss: 0.2, againMs: 1_500 };
  await delay(badMs);
  const during = await read();
  const state = await far.state();
  const connections = far.wire.connections - connectionsBefore;
  far.wire.manner = { latencyMs: 0, loss: 0, againMs: 0 };
  for (const id of ids) await system.api.ok('PUT', `/devices/${id}`, { Enabled: false });
  await delay(10_000);
  const hits = target.hits.length;
  await vi.waitFor(async () => expect((await read()).checks).toBe(hits), soon);
  const { lost } = far.wire;
  process.stdout.write(
    `ledger: ${JSON.stringify({ during, hits, lost, connections, state, after: await read() })}\n`,
  );
  expect(state).toBe('Connected');
  expect(lost).toBeGreaterThan(20);
  expect(during.checks).toBeGreaterThan(2 * devices);
  expect(await read()).toMatchObject({ bad: 0, gaps: 0 });
});
