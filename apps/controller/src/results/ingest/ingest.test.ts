import { newId, systemClock } from '@vantage/kernel';
import { HistoryAway } from '@vantage/storage/packed';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { CheckRow } from './check-row.ts';
import type { Fold } from './store-checks.ts';
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
    const ingest = bench.ingestWith(undefined, { mayRefuseForTime: () => false });
    const [device = 0] = bench.deviceNos;
    const nowUs = systemClock.nowUs();
    const doubtful = batchOf(result(device, nowUs), result(device, nowUs + minutes * 60_000_000));
    expect(await ingest.accept(bench.sender, doubtful)).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
    expect(await bench.quarantined()).toMatchObject([{ waits: true }]);
  },
);

/** A fold that fails with this SQLSTATE, `times` often, and the pauses that ingest makes after it. */
function failing(code: string, text: string, times: number) {
  const seen = { folds: 0, pausesMs: [] as number[] };
  const fold: Fold = async () => {
    seen.folds += 1;
    if (seen.folds <= times) throw Object.assign(new Error(text), { code });
  };
  const clock = {
    ...systemClock,
    sleep: async (ms: number) => void seen.pausesMs.push(ms),
  };
  return { seen, fold, clock };
}

test('a transaction that may pass later is tried five times, with a longer pause each time', async () => {
  const deadlock = (times: number) => failing('40P01', 'deadlock detected', times);
  const batch = batchOf(...bench.many(3));
  const given = deadlock(5);
  await expect(
    bench.ingestWith(given.fold, { clock: given.clock }).accept(bench.sender, batch),
  ).rejects.toThrow('deadlock detected');
  expect([given.seen.folds, given.seen.pausesMs.length]).toEqual([5, 4]);
  for (const [i, ms] of given.seen.pausesMs.entries()) expect(ms).toBeLessThan(40 * 2 ** i);
  expect(await bench.quarantined()).toEqual([]);
  const passing = deadlock(4);
  const ingest = bench.ingestWith(passing.fold, { clock: passing.clock });
  expect(await ingest.accept(bench.sender, batch)).toMatchObject({ inserted: 3 });
  expect(passing.seen.folds).toBe(5);
});

test('a result of a packed day whose server is away waits in quarantine; the others are stored, and the server is asked again after 10 s', async () => {
  const [old = 0, young = 0] = bench.deviceNos;
  const nowUs = systemClock.nowUs();
  const oldUs = nowUs - 26 * 3_600_000_000;
  await sql`insert into packed_devices values (${old}, ${oldUs}, ${oldUs}, '')`.execute(bench.db.kysely);
  let [nowMs, answers, asked] = [0, false, 0];
  const fold = async (_trx: unknown, rows: readonly { readonly start_us: number }[]) => {
    if (!rows.some(({ start_us }) => start_us === oldUs)) return;
    asked += 1;
    if (!answers) throw new HistoryAway(new Error('connection to the remote node failed'));
  };
  const ingest = bench.ingestWith(fold, { clock: { ...systemClock, monoMs: () => nowMs } });
  const batch = batchOf(result(old, oldUs), result(young, nowUs));
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 0, repeated: 1, quarantined: 1 });
  expect(asked).toBe(1);
  nowMs = 10_000;
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 0, repeated: 1, quarantined: 1 });
  expect(asked).toBe(2);
  [nowMs, answers] = [20_000, true];
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 1, repeated: 1, quarantined: 0 });
  const { rows } = await sql<{ waits: boolean }>`select waits from quarantined
    where agent_no = ${bench.sender.agentNo}`.execute(bench.db.kysely);
  expect(rows).toEqual([{ waits: true }, { waits: true }, { waits: true }]);
});

test('a missing partition is made once; a record that finds none after that is quarantined', async () => {
  for (const [times, inserted] of [[1, 1] as const, [99, 0] as const]) {
    const { fold } = failing('23514', 'no partition of relation "check_rows" found for row', times);
    let made = 0;
    const ensure = async () => {
      made += 1;
    };
    const [record] = bench.many(1);
    const batch = batchOf(...(record === undefined ? [] : [record]));
    const taken = await bench.ingestWith(fold, { partitions: { ensure } }).accept(bench.sender, batch);
    expect([made, taken]).toEqual([1, { inserted, repeated: 0, quarantined: 1 - inserted }]);
  }
});

test.each([
  ['while the agent was connected', false, 0],
  ['while the agent could not know of it', true, 1],
])('a result from after the device was given away, %s', async (_what, isCut, inserted) => {
  const rows = createFixtures(bench.db.kysely);
  const { accountNo, locationNo, agentNo } = bench.sender;
  const nowUs = systemClock.nowUs();
  const agoUs = (minutes: number) => nowUs - minutes * 60_000_000;
  const deviceNo = await rows.device(accountNo, [locationNo]);
  const heldUntil = [50, 30];
  for (const [i, minutes] of heldUntil.entries())
    await rows.hold({ deviceNo, agentNo, locationNo, fromUs: agoUs(60 - 20 * i), toUs: agoUs(minutes) });
  const spans = isCut ? [[90, 31] as const, [10, 0] as const] : [[90, 0] as const];
  for (const [from, to] of spans)
    await bench.db.kysely
      .insertInto('connection_spans')
      .values({
        agent_no: agentNo,
        location_no: locationNo,
        session_id: newId(),
        from_us: agoUs(from),
        to_us: to === 0 ? null : agoUs(to),
      })
      .execute();
  const taken = await bench.ingestWith().accept(bench.sender, batchOf(result(deviceNo, agoUs(20))));
  expect(taken).toMatchObject({ inserted, quarantined: 1 - inserted });
});
