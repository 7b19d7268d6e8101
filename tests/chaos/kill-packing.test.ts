// The process that packs old days is killed again and again. Whatever the moment, each check reads as before, and no
// check is there twice.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dayUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, createPartitions, type Db, startOfDay } from '@vantage/storage';
import { checksOfSpan } from '@vantage/storage/packed';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { createTestDatabase } from '@vantage/testing/database';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertChecks } from '../../apps/controller/src/results/ingest/insert-checks.ts';

const methods = ['TCP', 'HTTP', 'PING'] as const;
const [devices, days, checks] = [12, 10, 300];
const retentionDays = days + 12;
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const firstUs = startOfDay(clock.nowUs()) - (days + 8) * dayUs;
const lastUs = firstUs + days * dayUs;
const program = path.join(import.meta.dirname, 'packer-process.ts');

async function addDevices({ kysely }: Db): Promise<number[]> {
  const make = createFixtures(kysely);
  const accountNo = await make.account();
  const locationNo = await make.location(accountNo);
  const { agentNo } = await make.agent({ accountNo, locationNo });
  const deviceNos: number[] = [];
  for (let n = 0; n < devices; n += 1) {
    const deviceNo = await make.device(accountNo, [locationNo]);
    deviceNos.push(deviceNo);
    for (let day = 0; day < days; day += 1) {
      const sample = { deviceNo, dayUs: firstUs + day * dayUs, checks, agentNo, locationNo };
      // Each tenth check is an error: those stay rows.
      const rows = sampleDay(methods[n % methods.length] ?? 'TCP', sample).map((row, at) =>
        at % 10 === 3 ? { ...row, code: 3, check_result: 'connection refused' } : row,
      );
      await kysely.transaction().execute((trx) => insertChecks(trx, rows));
    }
  }
  return deviceNos;
}

test('packing that is killed at any moment loses no check, doubles none, and ends at the next try', {
  timeout: 600_000,
}, async () => {
  await using database = await createTestDatabase();
  const log = createLog('test', 'silent');
  const db = await createDb({ connection: { url: database.url }, log });
  await using _db = { [Symbol.asyncDispose]: () => db.close() };
  const { kysely } = db;
  await createPartitions({ db, clock, log, retentionDays }).ensure();
  const deviceNos = await addDevices(db);
  const digest = async (deviceNo: number) => {
    const list = await checksOfSpan(kysely, { deviceNo, fromUs: firstUs, toUs: lastUs });
    const text = JSON.stringify(list, Object.keys(list[0] ?? {}).toSorted());
    return `${list.length} checks, ${createHash('sha256').update(text).digest('hex')}`;
  };
  const before = new Map<number, string>();
  for (const deviceNo of deviceNos) before.set(deviceNo, await digest(deviceNo));
  const packedDays = async () =>
    (await sql<{ n: number }>`select count(*)::int as n from packed_checks`.execute(kysely)).rows[0]?.n ?? 0;

  let [kills, reads] = [0, 0];
  for (let ended = false; !ended; ) {
    const args = [program, database.url, String(clock.nowUs()), String(retentionDays)];
    const packer = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const exit = once(packer, 'exit');
    await once(packer.stdout, 'data');
    // Each try may last longer than the one before, so that one ends by itself.
    const killed = delay(Math.random() * 25 * (kills + 4)).then(() => packer.kill('SIGKILL'));
    // Somebody reads meanwhile.
    while (packer.exitCode === null && packer.signalCode === null) {
      const deviceNo = deviceNos[reads % devices] ?? 0;
      expect(await digest(deviceNo)).toBe(before.get(deviceNo));
      reads += 1;
    }
    await Promise.all([killed, exit]);
    ended = packer.exitCode === 0;
    if (!ended) kills += 1;
  }
  const { rows } = await sql<{ code: number; n: number }>`
    select code, count(*)::int as n from check_rows group by code`.execute(kysely);
  console.log(`ledger: ${kills} kills, ${reads} reads meanwhile, ${await packedDays()} packed days`);
  for (const deviceNo of deviceNos) expect(await digest(deviceNo)).toBe(before.get(deviceNo));
  expect(await packedDays()).toBe(devices * days);
  expect(rows).toEqual([{ code: 3, n: (devices * days * checks) / 10 }]);
  expect(kills).toBeGreaterThan(0);
});
