import { newId, systemClock } from '@vantage/kernel';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createFixtures } from '../testing/fixtures.ts';
import type { Fold } from './fold.ts';
import type { CheckRow } from './rows.ts';
import { batchOf, result, useIngestFixture, type WireRecord } from './testing/ingest-fixture.ts';

const bench = useIngestFixture();

test('a batch sent again changes nothing and folds nothing', async () => {
  const folded: CheckRow[] = [];
  const ingest = bench.ingestWith(async (_trx, rows) => void folded.push(...rows));
  const batch = batchOf(...bench.many(500));
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 500, repeated: 0, quarantined: 0 });
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 0, repeated: 500, quarantined: 0 });
  expect(await bench.stored()).toHaveLength(500);
  expect(folded).toHaveLength(500);
});

test('stored checks are counted once by Method and ResultCode, and stay counted when their device is deleted', async () => {
  const ingest = bench.ingestWith();
  const [device = 0] = bench.deviceNos;
  const nowUs = systemClock.nowUs();
  const bad = { resultCode: 3, connectMs: 5, ttfbMs: 0 };
  const batch = batchOf(...bench.many(20), result(device, nowUs - 1, bad), result(device, nowUs - 2, bad));
  await ingest.accept(bench.sender, batch);
  await ingest.accept(bench.sender, batch);
  await bench.db.kysely.deleteFrom('device_locations').where('device_no', '=', device).execute();
  await bench.db.kysely.deleteFrom('assignment_spans').where('device_no', '=', device).execute();
  await bench.db.kysely.deleteFrom('devices').where('device_no', '=', device).execute();
  const counts = await bench.db.kysely
    .selectFrom('check_counts')
    .select(['method', 'code', 'checks', 'duration_ms'])
    .where('account_no', '=', bench.sender.accountNo)
    .orderBy('code')
    .execute();
  expect(counts).toEqual([
    { method: 'TCP', code: 1, checks: 20, duration_ms: 140 },
    { method: 'TCP', code: 3, checks: 2, duration_ms: 10 },
  ]);
});

test("a check of a neighbour's device is taken when it was ordered, and answers its order", async () => {
  const [device = 0] = bench.deviceNos;
  const rows = createFixtures(bench.db.kysely);
  const neighbour = { ...bench.sender, ...(await rows.agent(bench.sender)) };
  const nowUs = systemClock.nowUs();
  const order = {
    run_request_id: newId(),
    kind: 'Retry',
    device_no: device,
    agent_no: neighbour.agentNo,
  } as const;
  await bench.db.kysely
    .insertInto('run_requests')
    .values({ ...order, location_no: 1, revision: 1, attempt: 1, deadline_us: nowUs, created_us: nowUs })
    .execute();
  const folded: CheckRow[] = [];
  const ingest = bench.ingestWith(async (_trx, inserted) => void folded.push(...inserted));
  const ordered = result(device, nowUs, { runRequestId: order.run_request_id, attempt: 1 });
  const alone = result(device, nowUs + 1);
  expect(await ingest.accept(neighbour, batchOf(ordered, alone))).toEqual({
    inserted: 1,
    repeated: 0,
    quarantined: 1,
  });
  expect(await ingest.accept(neighbour, batchOf(ordered))).toEqual({
    inserted: 0,
    repeated: 1,
    quarantined: 0,
  });
  expect(folded).toMatchObject([{ device_no: device, agent_no: neighbour.agentNo, attempt: 1 }]);
  const { state } = await bench.db.kysely
    .selectFrom('run_requests')
    .select('state')
    .where('run_request_id', '=', order.run_request_id)
    .executeTakeFirstOrThrow();
  expect(state).toBe('Answered');
});

test('two controllers that take overlapping batches at once store and fold each check once', async () => {
  const folded: CheckRow[] = [];
  const fold: Fold = async (_trx, rows) => void folded.push(...rows);
  const records = bench.many(600);
  const [a, b] = [bench.ingestWith(fold), bench.ingestWith(fold)];
  const answers = await Promise.all([
    a.accept(bench.sender, batchOf(...records.slice(0, 400))),
    b.accept(bench.sender, batchOf(...records.slice(200).reverse())),
    a.accept(bench.sender, batchOf(...records.slice(100, 500))),
  ]);
  expect(answers.reduce((sum, one) => sum + one.inserted, 0)).toBe(600);
  expect(await bench.stored()).toHaveLength(600);
  expect(folded).toHaveLength(600);
});

test('the rows of a batch and the writes of the fold are committed together or not at all', async () => {
  let calls = 0;
  const ingest = bench.ingestWith(async (trx, rows, nowUs) => {
    calls += 1;
    const [row] = rows;
    await trx
      .insertInto('gaps')
      .values({
        gap_id: `fold ${row?.device_no} ${row?.start_us}`,
        agent_no: bench.sender.agentNo,
        from_us: nowUs,
        to_us: nowUs,
        dropped_results: 0,
        reason: '',
      })
      .execute();
    if (calls === 1) throw Object.assign(new Error('deadlock detected'), { code: '40P01' });
  });
  expect(await ingest.accept(bench.sender, batchOf(...bench.many(1)))).toEqual({
    inserted: 1,
    repeated: 0,
    quarantined: 0,
  });
  const gaps = await bench.db.kysely
    .selectFrom('gaps')
    .where('agent_no', '=', bench.sender.agentNo)
    .selectAll()
    .execute();
  expect(gaps).toHaveLength(1);
  expect(calls).toBe(2);
});

test('a connection that dies between insert and commit leaves nothing, and the next try everything', async () => {
  let calls = 0;
  const ingest = bench.ingestWith(async (trx) => {
    calls += 1;
    if (calls > 1) return;
    const { rows } = await sqlPid(trx);
    await bench.db.kysely.transaction().execute((other) => killBackend(other, rows[0]?.pid ?? 0));
  });
  const batch = batchOf(...bench.many(20));
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 20, repeated: 0, quarantined: 0 });
  expect(calls).toBe(2);
  expect(await bench.stored()).toHaveLength(20);
});

test('one record that cannot be stored never blocks the others', async () => {
  const records = bench.many(64);
  const bad = bench.deviceNos[3];
  const ingest = bench.ingestWith(async (_trx, rows) => {
    if (rows.some((row) => row.device_no === bad && row.start_us % 2 === 0))
      throw Object.assign(new Error('value out of range'), { code: '22003' });
  });
  const isBad = (record: WireRecord) =>
    record.case === 'result' && record.value.deviceNo === bad && Number(record.value.startUs) % 2 === 0;
  const expected = records.filter(isBad).length;
  const taken = await ingest.accept(bench.sender, batchOf(...records));
  expect(taken).toEqual({ inserted: 64 - expected, repeated: 0, quarantined: expected });
});

test('a surprise in the fold costs the record that caused it and no other', async () => {
  const bad = bench.deviceNos[2];
  const ingest = bench.ingestWith(async (_trx, rows) => {
    if (rows.some((row) => row.device_no === bad)) throw new TypeError('a bug');
  });
  expect(await ingest.accept(bench.sender, batchOf(...bench.many(10)))).toEqual({
    inserted: 8,
    repeated: 0,
    quarantined: 2,
  });
  expect((await bench.quarantined()).map((row) => row.reason)).toEqual(
    Array(2).fill('could not be stored: a bug'),
  );
});

function sqlPid(trx: Parameters<Fold>[0]) {
  return sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
}

async function killBackend(trx: Parameters<Fold>[0], pid: number) {
  await sql`select pg_terminate_backend(${pid}::int)`.execute(trx);
}

test.each([
  ['an hour ahead', 60],
  ['older than the retention', -4 * 24 * 60],
])(
  'while a clock may be wrong, a result that is %s waits, and the others of its batch do not',
  async (_, minutes) => {
    const ingest = bench.ingestWith(undefined, undefined, () => false);
    const [device = 0] = bench.deviceNos;
    const nowUs = systemClock.nowUs();
    const doubtful = batchOf(result(device, nowUs), result(device, nowUs + minutes * 60_000_000));
    expect(await ingest.accept(bench.sender, doubtful)).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
    expect(await bench.quarantined()).toMatchObject([{ waits: true }]);
  },
);
