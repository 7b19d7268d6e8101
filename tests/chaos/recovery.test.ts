// A database that recovers for minutes after a crash: it refuses every connection (57P03), while checks go on, and
// while a controller starts.
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFailed, test } from 'vitest';
import {
  endRecovery,
  hasPrograms,
  startPrimary,
  startRecovering,
  startSwitch,
} from '../harness/database-servers.ts';
import { startSystem } from '../harness/system.ts';
import { fast, watchDevices } from './one-second-devices.ts';

const devices = 20;
const recoveryMs = 120_000;

test('two minutes of recovery, with a kill of the controller in the middle, lose no check and make nothing Down', async ({
  skip,
}) => {
  skip(!hasPrograms, 'this machine lacks the programs of PostgreSQL 15');
  let primary = await startPrimary();
  await using database = await startSwitch(primary);
  await using system = await startSystem({ env: { ...fast, VANTAGE_DATABASE_URL: database.url } });
  onTestFailed(() => void process.stdout.write(system.output().slice(-20_000)));
  try {
    await using watched = await watchDevices(system, database.url, devices);
    const { target } = watched;
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
    const storedMs = await watched.untilBack();
    const found = {
      ...(await watched.settle()),
      meanwhile,
      storedMs,
      recoveryMs: Math.round(endedMs - fromMs),
    };
    process.stdout.write(`ledger: ${JSON.stringify(found)}\n`);
    expect(found).toMatchObject({ checks: found.hits, down: 0, offline: 0, gaps: 0, quarantined: 0 });
    expect(meanwhile).toBeGreaterThan((devices * recoveryMs) / 2_000);
  } finally {
    await primary.kill();
  }
});
