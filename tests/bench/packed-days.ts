// Packed days of many devices: bytes of a check on disk, and the time to pack and to read, before and after. Each
// device and day is read before and after, and must be the same. docs/bench.md explains the figures. Usage: node
// tests/bench/packed-days.ts [devices] [days] [checks a day]
import { createHash } from 'node:crypto';
import { dayUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { startOfDay } from '@vantage/storage';
import { checksOfSpan } from '@vantage/storage/packed';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { listChecks } from '../../apps/controller/src/reading/history/check-store.ts';
import { createDayPacker } from '../../apps/controller/src/results/ingest/index.ts';
import { insertChecks } from '../../apps/controller/src/results/ingest/insert-checks.ts';
import { startMigratedDatabase } from './database.ts';
import { printFigures } from './figures.ts';

const [devices = 100, days = 10, checks = 288] = process.argv.slice(2).map(Number);
const methods = ['TCP', 'HTTP', 'PING'] as const;
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const retentionDays = days + 12;
/** The numbers of the days, of at most 30 in one transaction or read. */
const spans: readonly (readonly number[])[] = Array.from({ length: Math.ceil(days / 30) }, (_, i) =>
  Array.from({ length: Math.min(30, days - i * 30) }, (_each, day) => i * 30 + day),
);
const firstUs = startOfDay(clock.nowUs()) - (days + 8) * dayUs;

await using database = await startMigratedDatabase({ clock, retentionDays });
const { db, log } = database;
const make = createFixtures(db.kysely);
const accountNo = await make.account();
const locationNo = await make.location(accountNo);
const { agentNo } = await make.agent({ accountNo, locationNo });

/** A device with the checks of all days. */
async function addDevice(method: (typeof methods)[number]) {
  const deviceId = newId();
  const deviceNo = await make.device(accountNo, [locationNo], { device_id: deviceId });
  await db.kysely
    .updateTable('devices')
    .set({ created_us: firstUs })
    .where('device_no', '=', deviceNo)
    .execute();
  for (const span of spans) {
    const rows = span.flatMap((day) =>
      sampleDay(method, { deviceNo, dayUs: firstUs + day * dayUs, checks, agentNo, locationNo }),
    );
    await db.kysely.transaction().execute((trx) => insertChecks(trx, rows));
  }
  return { deviceNo, deviceId };
}

async function bytesOf(pattern: string): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(oid)), 0)::float8 as bytes from pg_class
    where relkind = 'r' and relname ~ ${pattern} and pg_relation_size(oid) > 0`.execute(db.kysely);
  return rows[0]?.bytes ?? 0;
}

/** A digest of every check of a device, by its days. */
async function digestOf(deviceNo: number): Promise<string> {
  const hash = createHash('sha256');
  for (const [first = 0, ...rest] of spans) {
    const fromUs = firstUs + first * dayUs;
    const toUs = fromUs + (1 + rest.length) * dayUs;
    const list = await checksOfSpan(db.kysely, { deviceNo, fromUs, toUs });
    hash.update(JSON.stringify(list, Object.keys(list[0] ?? {}).toSorted()));
  }
  return hash.digest('hex');
}

/** Milliseconds of the process for a page of 100 old checks, the mean of all devices. */
async function pageMs(list: readonly { readonly deviceId: string }[]): Promise<number> {
  const untilUs = firstUs + Math.ceil(days / 2) * dayUs;
  const page = {
    fromUs: undefined,
    untilUs,
    locationNos: undefined,
    codes: undefined,
    perfs: undefined,
    before: undefined,
  };
  const ask = { ...page, limit: 100, offset: 0 };
  for (const { deviceId } of list) await listChecks(db, { accountNo, deviceId }, ask, clock.nowUs());
  const fromMs = performance.now();
  for (const { deviceId } of list) await listChecks(db, { accountNo, deviceId }, ask, clock.nowUs());
  return (performance.now() - fromMs) / list.length;
}

const made = [];
for (let i = 0; i < devices; i += 1) made.push(await addDevice(methods[i % methods.length] ?? 'TCP'));
const total = devices * days * checks;
const digests = [];
for (const { deviceNo } of made) digests.push(await digestOf(deviceNo));
const rowBytes = (await bytesOf('^checks_[0-9]')) / total;
const rowPageMs = await pageMs(made);
const packer = createDayPacker({
  db,
  clock,
  log,
  retentionDays,
  afterDays: 8,
  isRolledUp: async () => true,
});
const cpu = process.cpuUsage();
while (!(await packer.run()));
const { user, system } = process.cpuUsage(cpu);
let different = 0;
for (const [i, { deviceNo }] of made.entries()) if ((await digestOf(deviceNo)) !== digests[i]) different += 1;
const { rows: left } = await sql<{ n: number }>`select count(*)::int as n from checks`.execute(db.kysely);

printFigures(`${total} checks of ${devices} devices in ${days} days, packed`, [
  {
    what: 'a check on disk, with index',
    unit: 'bytes',
    better: 'less',
    peer: 'as rows',
    theirs: rowBytes,
    ours: (await bytesOf('^(packed_checks|checks_[0-9])')) / total,
  },
  {
    what: 'GET /devices/{id}/checks, 100 old ones',
    unit: 'ms',
    better: 'less',
    peer: 'as rows',
    ours: await pageMs(made),
    theirs: rowPageMs,
  },
  {
    what: 'packing a device and day',
    unit: 'ms of CPU',
    better: 'less',
    peer: 'none',
    theirs: '-',
    ours: (user + system) / 1000 / (devices * days),
  },
  {
    what: 'devices that read otherwise; rows that are left',
    unit: '',
    better: 'less',
    peer: 'rows',
    ours: different,
    theirs: left[0]?.n ?? 0,
  },
]);
