import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createLog, systemClock } from '@vantage/kernel';
import { type Batch, BatchSchema, type CheckResultSchema, type OutboxRecordSchema } from '@vantage/proto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../tests/harness/database.ts';
import { createDb, type Db } from '../db/index.ts';
import { createFixtures } from '../testing/fixtures.ts';
import { histogramOf } from './histogram.ts';
import { createIngest, type Fold } from './ingest.ts';
import { createPartitions } from './partitions.ts';
import type { CheckRow } from './rows.ts';

const log = createLog('ingest test', 'silent');
const clock = systemClock;
const minuteUs = 60_000_000;
let database: TestDatabase;
let db: Db;
let sender: { agentNo: number; locationNo: number; accountNo: number };
let deviceNos: number[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  db = await createDb({ connection: { url: database.url }, log });
  await createPartitions({ db, clock, log, retentionDays: 3 }).ensure();
});

afterAll(async () => {
  await db.close();
  await database[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const rows = createFixtures(db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  sender = { agentNo, locationNo, accountNo };
  deviceNos = [];
  for (let i = 0; i < 5; i += 1) {
    const deviceNo = await rows.device(accountNo, [locationNo]);
    await rows.hold({ deviceNo, agentNo, locationNo, fromUs: clock.nowUs() - 2 * 86_400_000_000 });
    deviceNos.push(deviceNo);
  }
});

type WireRecord = NonNullable<MessageInitShape<typeof OutboxRecordSchema>['record']>;

function batchOf(...records: WireRecord[]): Batch {
  return create(BatchSchema, { batchId: 1n, records: records.map((record) => ({ record })) });
}

function result(
  deviceNo: number,
  startUs: number,
  values: MessageInitShape<typeof CheckResultSchema> = {},
): WireRecord {
  return {
    case: 'result',
    value: {
      deviceNo,
      startUs: BigInt(startUs),
      revision: 1,
      resultCode: 1,
      checkResult: 'connected',
      connectMs: 3,
      ttfbMs: 4,
      ...values,
    },
  };
}

function ingestWith(fold: Fold = async () => {}) {
  return createIngest({ db, clock, log, fold, retentionDays: 3 });
}

function stored() {
  return db.kysely.selectFrom('checks').selectAll().where('agent_no', '=', sender.agentNo).execute();
}

function setAside() {
  return db.kysely.selectFrom('set_aside').selectAll().where('agent_no', '=', sender.agentNo).execute();
}

function many(count: number): WireRecord[] {
  const nowUs = clock.nowUs();
  return Array.from({ length: count }, (_, i) => result(deviceNos[i % 5] ?? 0, nowUs - i * minuteUs));
}

test('a batch sent again changes nothing and folds nothing', async () => {
  const folded: CheckRow[] = [];
  const ingest = ingestWith(async (_trx, rows) => void folded.push(...rows));
  const batch = batchOf(...many(500));
  expect(await ingest.take(sender, batch)).toEqual({ inserted: 500, repeated: 0, setAside: 0 });
  expect(await ingest.take(sender, batch)).toEqual({ inserted: 0, repeated: 500, setAside: 0 });
  expect(await stored()).toHaveLength(500);
  expect(folded).toHaveLength(500);
});

test('two controllers that take overlapping batches at once store and fold each check once', async () => {
  const folded: CheckRow[] = [];
  const fold: Fold = async (_trx, rows) => void folded.push(...rows);
  const records = many(600);
  const [a, b] = [ingestWith(fold), ingestWith(fold)];
  const answers = await Promise.all([
    a.take(sender, batchOf(...records.slice(0, 400))),
    b.take(sender, batchOf(...records.slice(200).reverse())),
    a.take(sender, batchOf(...records.slice(100, 500))),
  ]);
  expect(answers.reduce((sum, one) => sum + one.inserted, 0)).toBe(600);
  expect(await stored()).toHaveLength(600);
  expect(folded).toHaveLength(600);
});

test('what the fold wrote and the rows stand or fall together', async () => {
  let calls = 0;
  const ingest = ingestWith(async (trx, rows, nowUs) => {
    calls += 1;
    const [row] = rows;
    await trx
      .insertInto('gaps')
      .values({
        gap_id: `fold ${row?.device_no} ${row?.start_us}`,
        agent_no: sender.agentNo,
        from_us: nowUs,
        to_us: nowUs,
        dropped: 0,
        reason: '',
      })
      .execute();
    if (calls === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  });
  expect(await ingest.take(sender, batchOf(...many(1)))).toEqual({ inserted: 1, repeated: 0, setAside: 0 });
  const gaps = await db.kysely
    .selectFrom('gaps')
    .where('agent_no', '=', sender.agentNo)
    .selectAll()
    .execute();
  expect(gaps).toHaveLength(1);
  expect(calls).toBe(2);
});

test('a connection that dies between insert and commit leaves nothing, and the next try everything', async () => {
  let calls = 0;
  const ingest = ingestWith(async (trx) => {
    calls += 1;
    if (calls > 1) return;
    const { rows } = await sqlPid(trx);
    await db.kysely.transaction().execute((other) => killBackend(other, rows[0]?.pid ?? 0));
  });
  const batch = batchOf(...many(20));
  expect(await ingest.take(sender, batch)).toEqual({ inserted: 20, repeated: 0, setAside: 0 });
  expect(calls).toBe(2);
  expect(await stored()).toHaveLength(20);
});

test('results that have no place are set aside with their reasons and the rest is taken', async () => {
  const [device = 0] = deviceNos;
  const nowUs = clock.nowUs();
  const foreign = await createFixtures(db.kysely).device(sender.accountNo, []);
  const taken = await ingestWith().take(
    sender,
    batchOf(
      result(device, nowUs),
      result(foreign, nowUs),
      result(device, nowUs + 6 * minuteUs),
      result(device, nowUs - 5 * 86_400_000_000),
      result(device, nowUs - minuteUs, { resultCode: 77 }),
      result(device, nowUs - minuteUs, { ttfbMs: Number.NaN }),
      result(device, nowUs - minuteUs, { extendedJson: '[1]' }),
      { case: 'coverage', value: { fromUs: 5n, toUs: 5n } },
    ),
  );
  expect(taken).toEqual({ inserted: 1, repeated: 0, setAside: 7 });
  expect((await setAside()).map((row) => row.reason).sort()).toEqual([
    'a phase is not a length of time',
    'coverage ends before it begins',
    'extended_json is not a JSON object of at most 256 KiB',
    'more than 5 minutes in the future',
    'older than the retention of checks',
    'result_code is not one of 1 to 10',
    'the agent did not hold this device then',
  ]);
});

test('one record that cannot be stored never blocks the others', async () => {
  const records = many(64);
  const bad = deviceNos[3];
  const ingest = ingestWith(async (_trx, rows) => {
    if (rows.some((row) => row.device_no === bad && row.start_us % 2 === 0))
      throw Object.assign(new Error('value out of range'), { code: '22003' });
  });
  const isBad = (record: WireRecord) =>
    record.case === 'result' && record.value.deviceNo === bad && Number(record.value.startUs) % 2 === 0;
  const expected = records.filter(isBad).length;
  const taken = await ingest.take(sender, batchOf(...records));
  expect(taken).toEqual({ inserted: 64 - expected, repeated: 0, setAside: expected });
});

test('a surprise in the fold costs the record that caused it and no other', async () => {
  const bad = deviceNos[2];
  const ingest = ingestWith(async (_trx, rows) => {
    if (rows.some((row) => row.device_no === bad)) throw new TypeError('a bug');
  });
  expect(await ingest.take(sender, batchOf(...many(10)))).toEqual({ inserted: 8, repeated: 0, setAside: 2 });
  expect((await setAside()).map((row) => row.reason)).toEqual(Array(2).fill('could not be stored: a bug'));
});

test('texts that PostgreSQL cannot hold are stored with the characters replaced', async () => {
  const [device = 0] = deviceNos;
  const hostile = { checkResult: 'a\0b', extendedJson: '{"k\\u0000":["x\\u0000y","\\ud800"]}' };
  expect(await ingestWith().take(sender, batchOf(result(device, clock.nowUs(), hostile)))).toMatchObject({
    inserted: 1,
  });
  const [row] = await stored();
  expect(row?.check_result).toBe('a\u{fffd}b');
  expect(row?.extended).toEqual({ 'k\u{fffd}': ['x\u{fffd}y', '\u{fffd}'] });
});

test('coverage that touches is joined, whatever the order in which it comes', async () => {
  const span = (fromUs: number, toUs: number): WireRecord => ({
    case: 'coverage',
    value: { fromUs: BigInt(fromUs), toUs: BigInt(toUs) },
  });
  const ingest = ingestWith();
  await ingest.take(sender, batchOf(span(10, 20), span(30, 40)));
  await ingest.take(sender, batchOf(span(50, 60), span(35, 45)));
  await ingest.take(sender, batchOf(span(20, 30), span(12, 13)));
  const rows = await db.kysely
    .selectFrom('coverage')
    .selectAll()
    .where('agent_no', '=', sender.agentNo)
    .orderBy('from_us')
    .execute();
  expect(rows.map((row) => [row.from_us, row.to_us])).toEqual([
    [10, 45],
    [50, 60],
  ]);
});

test('gaps and clock records are kept once', async () => {
  const ingest = ingestWith();
  const batch = batchOf(
    {
      case: 'gap',
      value: { gapId: `gap ${sender.agentNo}`, fromUs: 1n, toUs: 9n, dropped: 7, reason: 'full' },
    },
    { case: 'clock', value: { atUs: 5n, offsetUs: -3n, roundTripUs: 2n } },
  );
  await ingest.take(sender, batch);
  expect(await ingest.take(sender, batch)).toEqual({ inserted: 0, repeated: 0, setAside: 0 });
  const gaps = await db.kysely
    .selectFrom('gaps')
    .selectAll()
    .where('agent_no', '=', sender.agentNo)
    .execute();
  expect(gaps).toMatchObject([{ from_us: 1, to_us: 9, dropped: 7, reason: 'full' }]);
  const clocks = await db.kysely
    .selectFrom('clock_records')
    .selectAll()
    .where('agent_no', '=', sender.agentNo)
    .execute();
  expect(clocks).toMatchObject([{ at_us: 5, offset_us: -3, round_trip_us: 2 }]);
});

test('a result that answers an order closes it and tells who waits', async () => {
  const [device = 0] = deviceNos;
  const orderId = `order ${sender.agentNo}`;
  const told = Promise.withResolvers<string | undefined>();
  await using _listening = await db.listen('vantage_answer', told.resolve);
  await db.kysely
    .insertInto('orders')
    .values({
      order_id: orderId,
      kind: 'Now',
      device_no: device,
      agent_no: sender.agentNo,
      location_no: sender.locationNo,
      revision: 1,
      deadline_us: clock.nowUs() + minuteUs,
      created_us: clock.nowUs(),
      chain_id: null,
      sent_us: null,
      answered_us: null,
      check_id: null,
    })
    .execute();
  await ingestWith().take(sender, batchOf(result(device, clock.nowUs(), { orderId })));
  expect(JSON.parse((await told.promise) ?? '')).toEqual({ order_id: orderId });
  const [check] = await stored();
  const order = await db.kysely
    .selectFrom('orders')
    .selectAll()
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  expect(order).toMatchObject({ state: 'Answered' });
  expect(order?.check_id).toContain(check?.start_us.toString(16));
});

test('a late result marks its hour to be rolled up again', async () => {
  const [device = 0] = deviceNos;
  const startUs = clock.nowUs() - 30 * 60 * minuteUs;
  await ingestWith().take(sender, batchOf(result(device, startUs), result(device, clock.nowUs())));
  const rows = await db.kysely.selectFrom('rollup_dirty').selectAll().execute();
  expect(rows.map((row) => row.bucket_us)).toContain(startUs - (startUs % (60 * minuteUs)));
});

test('a check slower than its own past at this hour of the week is Slow, a failed one is Error', async () => {
  const [device = 0, fresh = 0] = deviceNos;
  const startUs = clock.nowUs() - minuteUs;
  const hourUs = 60 * minuteUs;
  const weekAgo = startUs - (startUs % hourUs) - 168 * hourUs;
  await db.kysely
    .insertInto('rollup_hourly')
    .values({
      device_no: device,
      bucket_us: weekAgo,
      location_no: sender.locationNo,
      checks: 200,
      errors: 0,
      abstained: 0,
      sum_ms: 2_000,
      min_ms: 10,
      max_ms: 10,
      histogram: histogramOf(Array.from({ length: 200 }, () => 10)).map((pair) => [...pair]),
    })
    .execute();
  await ingestWith().take(
    sender,
    batchOf(
      result(device, startUs, { ttfbMs: 20 }),
      result(device, startUs + 1, { ttfbMs: 40 }),
      result(device, startUs + 2, { ttfbMs: 40, resultCode: 3 }),
      result(fresh, startUs, { ttfbMs: 40 }),
      result(fresh, startUs + 1, { ttfbMs: 1, slow: true }),
    ),
  );
  const rows = await db.kysely
    .selectFrom('checks')
    .select('perf')
    .where('agent_no', '=', sender.agentNo)
    .orderBy('device_no')
    .orderBy('start_us')
    .execute();
  expect(rows.map((row) => row.perf)).toEqual([0, 1, 2, 0, 1]);
});

function sqlPid(trx: Parameters<Fold>[0]) {
  return sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
}

async function killBackend(trx: Parameters<Fold>[0], pid: number) {
  await sql`select pg_terminate_backend(${pid})`.execute(trx);
}
