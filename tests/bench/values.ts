// A device with 50 values a minute for 90 days: bytes of a value as a row, packed and in sums, and the time to read its
// charts, beside the same device without values. docs/bench.md explains the figures. Usage: node tests/bench/values.ts
// [values] [days]
import { dayUs } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { createDb, createPartitions, startOfDay } from '@vantage/storage';
import { sampleDay } from '@vantage/storage/packed/testing/sample-day';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { createFactsNumbering } from '../../apps/controller/src/results/ingest/check-facts.ts';
import { createDayPacker } from '../../apps/controller/src/results/ingest/index.ts';
import { insertChecks } from '../../apps/controller/src/results/ingest/insert-checks.ts';
import { rollUps } from '../../apps/controller/src/results/roll-up/index.ts';
import { startBenchDatabase } from './database.ts';
import { type Figure, printFigures, quantile } from './figures.ts';
import { startRestProcess } from './rest-process.ts';

const [values = 50, days = 90] = process.argv.slice(2).map(Number);
const checks = 1440;
const freshDevices = 20;
const reads = 20;
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
const nowUs = clock.nowUs();
const today = startOfDay(nowUs);
const retentionDays = days + 1;

await using bench = await startBenchDatabase();
const { url, log } = bench;
const db = await createDb({ connection: { url }, log });
await using closing = new AsyncDisposableStack();
closing.defer(() => db.close());
await db.migrate();
await createPartitions({ db, log, clock, retentionDays }).ensure();
const make = createFixtures(db.kysely);
const accountNo = await make.account();
const locationNo = await make.location(accountNo);
const { agentNo } = await make.agent({ accountNo, locationNo });

/**
 * A value as devices return it: rates in bit/s, percentages and temperatures with a decimal, counts that rarely change.
 */
function valueAt(series: number, check: number): number {
  const busy = 1 + 0.5 * Math.sin((check / checks) * 2 * Math.PI + series);
  switch (series % 5) {
    case 0:
    case 1:
      return Math.round(10 ** (4 + (series % 6)) * busy * (0.8 + 0.4 * Math.random()));
    case 2:
      return Math.round(400 * busy * (0.95 + 0.1 * Math.random())) / 10;
    case 3:
      return Math.round(250 + 10 * busy + 4 * Math.random()) / 10;
    default:
      return Math.random() < 0.01 ? 1 : 0;
  }
}

const measured = (check: number) => Array.from({ length: values }, (_, series) => valueAt(series, check));

/** Stores the days before `toUs` of a device, as ingest does. */
async function addDays(deviceNo: number, isMeasured: boolean, fromUs: number, toUs: number): Promise<void> {
  const numberFacts = createFactsNumbering(() => 0);
  for (let day = fromUs; day < toUs; day += dayUs) {
    const rows = sampleDay('TCP', { deviceNo, dayUs: day, checks, agentNo, locationNo })
      .map((check, i) => ({ ...check, measured: isMeasured ? measured(i) : null }))
      .filter(({ start_us: us }) => us < nowUs);
    await db.kysely.transaction().execute((trx) => insertChecks(trx, rows, numberFacts));
  }
}

/** Bytes of one row, as the disk has them, of the checks of many devices in a day. */
async function freshBytes(isMeasured: boolean): Promise<number> {
  await sql`truncate check_rows, check_facts`.execute(db.kysely);
  for (let no = 1; no <= freshDevices; no += 1) await addDays(no, isMeasured, today - dayUs, today);
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_total_relation_size(inhrelid))::float8 / (select count(*) from check_rows) as bytes
    from pg_inherits where inhparent = 'check_rows'::regclass and pg_relation_size(inhrelid) > 0`.execute(
    db.kysely,
  );
  await sql`truncate check_rows, check_facts`.execute(db.kysely);
  return rows[0]?.bytes ?? 0;
}

async function addDevice(isMeasured: boolean): Promise<{ readonly id: string; readonly deviceNo: number }> {
  const id = newId();
  const times = { created_us: today - days * dayUs };
  const deviceNo = await make.device(accountNo, [locationNo], { device_id: id, ...times });
  if (isMeasured)
    await sql`insert into value_series (device_no, series_no, label, unit)
      select ${deviceNo}::int, n, 'port ' || n || ' in', 'bit/s' from generate_series(1, ${values}::int) n`.execute(
      db.kysely,
    );
  await addDays(deviceNo, isMeasured, today - days * dayUs, nowUs);
  return { id, deviceNo };
}

async function scalar(query: ReturnType<typeof sql<{ n: number }>>): Promise<number> {
  return (await query.execute(db.kysely)).rows[0]?.n ?? 0;
}

const [plainRow, measuredRow] = [await freshBytes(false), await freshBytes(true)];
const plain = await addDevice(false);
const device = await addDevice(true);
await sql`vacuum analyze check_rows`.execute(db.kysely);
const rollFromMs = performance.now();
await rollUps.createRollUp({ db, clock, log }).run();
const rollMs = performance.now() - rollFromMs;
const isRolledUp = rollUps.isRolledUp;
const packer = createDayPacker({ db, clock, log, afterDays: 8, retentionDays, isRolledUp });
const packFromMs = performance.now();
while (!(await packer.run()));
const packMs = performance.now() - packFromMs;
const packedBytes = (deviceNo: number) =>
  scalar(sql`select (sum(octet_length(facts) + octet_length(marks)) / sum(checks))::float8 as n
    from packed_checks where device_no = ${deviceNo}::int`);
const [plainPacked, measuredPacked] = [await packedBytes(plain.deviceNo), await packedBytes(device.deviceNo)];
const stored = values * checks * days;
const sums = async (table: string) =>
  (await scalar(sql`select pg_total_relation_size(${table}::regclass)::float8 as n`)) / stored;
await sql`vacuum analyze`.execute(db.kysely);

await using rest = await startRestProcess({ url, nowUs, accountNo });
/** The median of reads, milliseconds. */
async function readMs(id: string, route: string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < reads + 3; i += 1) times.push((await rest.read(`/devices/${id}/${route}`)).ms);
  return quantile(times.slice(3), 0.5);
}
const since = (span: number) => `Timestamp1=${new Date((nowUs - span) / 1000).toISOString()}`;
const labels = (count: number) =>
  `Label=${encodeURIComponent(Array.from({ length: count }, (_, i) => `port ${i + 1} in`).join(','))}`;
const all = since(days * dayUs);
const statisticsMs = await readMs(device.id, `statistics?${all}&Points=400&With=Phases`);
const checksMs = await readMs(plain.id, 'checks?Limit=100');
const bytes = { unit: 'bytes', better: 'less' as const };
const ms = { unit: 'ms', better: 'less' as const };
const bound = { peer: 'bound', theirs: 150 };
const statistics = { peer: 'statistics', theirs: statisticsMs };
const none = { peer: '', theirs: '-' };
const figures: Figure[] = [
  { what: 'row of a check without values', ...bytes, ours: plainRow, ...none },
  { what: 'row of a check with values', ...bytes, ours: measuredRow, peer: 'without', theirs: plainRow },
  { what: 'a value, fresh', ...bytes, ours: (measuredRow - plainRow) / values, ...none },
  {
    what: 'a packed check with values',
    ...bytes,
    ours: measuredPacked,
    peer: 'without',
    theirs: plainPacked,
  },
  { what: 'a value, packed', ...bytes, ours: (measuredPacked - plainPacked) / values, ...none },
  { what: 'a value in the sums of hours', ...bytes, ours: await sums('value_hourly'), ...none },
  { what: 'a value in the sums of days', ...bytes, ours: await sums('value_daily'), ...none },
  {
    what: `chart of 1 label, ${days} days`,
    ...ms,
    ours: await readMs(device.id, `values?${all}&Points=400&${labels(1)}`),
    ...bound,
  },
  {
    what: `charts of 6 labels, ${days} days`,
    ...ms,
    ours: await readMs(device.id, `values?${all}&Points=400&${labels(6)}`),
    ...bound,
  },
  {
    what: `the same, beside statistics`,
    ...ms,
    ours: await readMs(device.id, `values?${all}&Points=400&${labels(6)}`),
    ...statistics,
  },
  {
    what: `all labels in one bucket, ${days} days`,
    ...ms,
    ours: await readMs(device.id, `values?${all}&Points=1`),
    ...bound,
  },
  {
    what: 'charts of 6 labels, 24 hours',
    ...ms,
    ours: await readMs(device.id, `values?${since(dayUs)}&Points=400&${labels(6)}`),
    ...bound,
  },
  {
    what: 'charts of 6 labels, 24 packed hours',
    ...ms,
    ours: await readMs(
      device.id,
      `values?${since(20 * dayUs)}&Timestamp2=${new Date((nowUs - 19 * dayUs) / 1000).toISOString()}&Bucket=5Min&${labels(6)}`,
    ),
    ...bound,
  },
  {
    what: 'page of 100 checks with values',
    ...ms,
    ours: await readMs(device.id, 'checks?Limit=100'),
    peer: 'without',
    theirs: checksMs,
  },
  { what: 'roll-up of an hour, both devices', ...ms, ours: rollMs / (24 * days), ...none },
  { what: 'packing of a day, both devices', ...ms, ours: packMs / Math.max(1, days - 8), ...none },
];
printFigures(`A device with ${values} values a minute for ${days} days`, figures);
