// A database that recovers for minutes after a crash: it refuses every connection (57P03), while checks go on, and while a
// controller starts.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFailed, test, vi } from 'vitest';
import { z } from 'zod';
import { withClient } from '../harness/postgres-url.ts';
import { startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { endRecovery, hasPrograms, startPrimary, startRecovering, startSwitch } from './database-servers.ts';

const fast = { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '60' };
const devices = 20;
const recoveryMs = 120_000;
const ledger = z.object({ checks: z.number(), down: z.number(), gaps: z.number(), quarantined: z.number() });

test('two minutes of recovery, with a kill of the controller in the middle, lose no check and make nothing Down', async ({
  skip,
}) => {
  skip(!hasPrograms, 'this machine lacks the programs of PostgreSQL 15');
  let primary = await startPrimary();
  await using database = await startSwitch(primary);
  await using system = await startSystem({ env: { ...fast, VANTAGE_DATABASE_URL: database.url } });
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  try {
    await using target = await startTarget();
    for (let i = 0; i < devices; i += 1)
      await system.api.ok('POST', '/devices', {
        ...{ Method: 'TCP', URL: `127.0.0.1:${target.port}`, ShortName: `r${i}`, Frequency: 1, Timeout: 5 },
      });
    const read = () =>
      withClient(database.url, async (client) =>
        ledger.parse(
          (
            await client.query(`select (select count(*) from checks)::int as checks, (select count(*) from gaps)::int as gaps,
              (select count(*) from events where type in ('Down', 'LocationOffline'))::int as down,
              (select count(*) from quarantined)::int as quarantined`)
          ).rows[0],
        ),
      );
    await vi.waitFor(async () => expect((await read()).checks).toBeGreaterThan(2 * devices), {
      timeout: 60_000,
    });
    const recovering = await startRecovering(primary);
    await delay(2_000);
    database.to(undefined);
    await primary.kill();
    primary = recovering;
    database.to(recovering);
    const [hitsBefore, fromMs] = [target.hits.length, performance.now()];
    await delay(recoveryMs / 2);
    process.kill(system.quickstart().pids.controller, 'SIGKILL');
    await delay(recoveryMs / 2);
    const meanwhile = target.hits.length - hitsBefore;
    endRecovery(recovering);
    const endedMs = performance.now();
    const due = target.hits.length;
    await vi.waitFor(async () => expect((await read()).checks).toBeGreaterThanOrEqual(due), {
      timeout: 120_000,
      interval: 500,
    });
    const storedMs = Math.round(performance.now() - endedMs);
    const found = { ...(await read()), meanwhile, storedMs, recoveryMs: Math.round(endedMs - fromMs) };
    process.stdout.write(`ledger: ${JSON.stringify(found)}\n`);
    expect(found).toMatchObject({ down: 0, gaps: 0, quarantined: 0 });
    expect(meanwhile).toBeGreaterThan((devices * recoveryMs) / 2_000);
  } finally {
    await primary.kill();
  }
});
