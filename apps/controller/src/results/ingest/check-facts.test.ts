import { resultCode } from '@vantage/domain';
import { systemClock as clock } from '@vantage/kernel';
import { startOfDay } from '@vantage/storage';
import { goodCheck } from '@vantage/testing/good-check';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, inject, test } from 'vitest';
import { dropFacts } from './check-facts.ts';
import type { CheckRow } from './check-row.ts';
import { insertChecks } from './insert-checks.ts';
import { batchOf, minuteUs, result, useIngestFixture } from './testing/ingest-fixture.ts';

const bench = useIngestFixture();

async function storedRows() {
  const { rows } = await sql<{ text: string | null; extended: unknown; factsNo: number | null }>`
    select check_result as text, extended, facts_no as "factsNo" from check_rows
    where agent_no = ${bench.sender.agentNo} order by start_us`.execute(bench.db.kysely);
  return rows;
}

const phase = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 0, max: 70_000 }).map((us) => us / 1000),
  fc.double({ min: 0, max: 100_000, noNaN: true }),
);
const outcome = fc.record({
  resultCode: fc.constantFrom(1, 1, 1, 3, 10),
  checkResult: fc.constantFrom('200 OK', 'connected', '', 'a\\b "c" \u{1f600}'),
  extendedJson: fc.constantFrom('', '{}', '{"Address":"192.0.2.1:80"}', '{ "a": [1, null], "Address":"x" }'),
  dataSize: fc.oneof(
    fc.constantFrom(0, 615, 2 ** 31 - 1, 2 ** 31, 0.5),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
  ),
  attempt: fc.constantFrom(0, 0, 0, 2),
  slow: fc.boolean(),
  blockMs: phase,
  dnsMs: phase,
  connectMs: phase,
  sslMs: phase,
  ttfbMs: phase,
  ttlbMs: phase,
});

test('property: whatever a row leaves out, a check is read as it was stored', {
  timeout: 60_000,
}, async () => {
  let atUs = clock.nowUs() - 26 * 60 * minuteUs;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(outcome, { minLength: 1, maxLength: 6 }), { maxLength: 4 }),
      async (batches) => {
        const [device = 0] = bench.deviceNos;
        const ingested: unknown[] = [];
        const ingest = bench.ingestWith(async (_, rows) => {
          for (const row of rows) {
            const { fround } = Math;
            const extended = typeof row.extended === 'string' ? JSON.parse(row.extended) : null;
            const [block_ms, dns_ms, connect_ms] = [row.block_ms, row.dns_ms, row.connect_ms].map(fround);
            const [ssl_ms, ttfb_ms, ttlb_ms] = [row.ssl_ms, row.ttfb_ms, row.ttlb_ms].map(fround);
            ingested.push({ ...row, extended, block_ms, dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms });
          }
        });
        for (const batch of batches) {
          const records = batch.map((values) => {
            atUs += 61_000_003;
            return result(device, atUs, values);
          });
          await ingest.accept(bench.sender, batchOf(...records));
        }
        const stored = (await bench.stored()).toSorted((a, b) => a.start_us - b.start_us);
        const { fround } = Math;
        const read = stored.map((row) => ({
          ...row,
          block_ms: fround(row.block_ms),
          dns_ms: fround(row.dns_ms),
          connect_ms: fround(row.connect_ms),
          ssl_ms: fround(row.ssl_ms),
          ttfb_ms: fround(row.ttfb_ms),
          ttlb_ms: fround(row.ttlb_ms),
        }));
        expect(read).toEqual(ingested);
        await sql`delete from check_rows where agent_no = ${bench.sender.agentNo}`.execute(bench.db.kysely);
      },
    ),
    { numRuns: 25 },
  );
});

test('a good check that repeats the facts of the one before has none in its row, and a controller that begins anew finds their number', async () => {
  const [device = 0] = bench.deviceNos;
  const dayUs = startOfDay(clock.nowUs());
  const values = { checkResult: '200 OK', extendedJson: '{"Address":"192.0.2.1:80"}' };
  const at = (i: number, more = {}) => result(device, dayUs + i, { ...values, ...more });
  const first = bench.ingestWith();
  await first.accept(bench.sender, batchOf(at(1), at(2), at(3)));
  await first.accept(bench.sender, batchOf(at(4), at(5, { resultCode: resultCode.timeout }), at(6)));
  const second = bench.ingestWith();
  await second.accept(bench.sender, batchOf(at(7), at(8), at(9, { checkResult: '204 No Content' })));
  expect((await storedRows()).map(({ factsNo }) => factsNo)).toEqual([null, 1, 1, 1, null, 1, null, 1, null]);
  expect((await storedRows())[1]).toEqual({ text: null, extended: null, factsNo: 1 });
  const all = await bench.stored();
  expect(new Set(all.map((row) => row.check_result))).toEqual(new Set(['200 OK', '204 No Content']));
  expect(new Set(all.map((row) => JSON.stringify(row.extended)))).toEqual(
    new Set(['{"Address":"192.0.2.1:80"}']),
  );
  const { rows } = await sql`select 1 from check_facts where device_no = ${device}`.execute(bench.db.kysely);
  expect(rows).toHaveLength(1);
});

test.each([
  [12_288, [null, 1, 1]],
  [12_289, [null, null, null]],
])('facts of %i characters, repeated twice, have the numbers %j', async (length, numbers) => {
  const [device = 0] = bench.deviceNos;
  const dayUs = startOfDay(clock.nowUs());
  const values = {
    checkResult: 'x'.repeat(4_000),
    extendedJson: JSON.stringify({ a: 'x'.repeat(length - 4_008) }),
  };
  await bench
    .ingestWith()
    .accept(bench.sender, batchOf(...[1, 2, 3].map((i) => result(device, dayUs + i, values))));
  expect((await storedRows()).map(({ factsNo }) => factsNo)).toEqual(numbers);
});

test('a device has at most 500 facts in a day; its further checks keep theirs', async () => {
  const [device = 0] = bench.deviceNos;
  const dayUs = startOfDay(clock.nowUs());
  await sql`insert into check_facts (device_no, day_us, facts_no, digest, check_result, extended)
    select ${device}, ${dayUs}::bigint, n, decode(md5(n::text), 'hex'), n::text, null from generate_series(1, 499) n`.execute(
    bench.db.kysely,
  );
  const ingest = bench.ingestWith();
  const twice = (i: number, checkResult: string) =>
    ingest.accept(
      bench.sender,
      batchOf(...[i, i + 1].map((at) => result(device, dayUs + at, { checkResult }))),
    );
  await twice(1, 'the last one with a number');
  await twice(3, 'the first one without');
  expect((await storedRows()).map(({ factsNo }) => factsNo)).toEqual([null, 500, null, null]);
});

test('facts whose transaction failed are not taken for stored ones', async () => {
  const [device = 0] = bench.deviceNos;
  const dayUs = startOfDay(clock.nowUs());
  let isFailing = true;
  const ingest = bench.ingestWith(async () => {
    if (isFailing) throw Object.assign(new Error('the connection was lost'), { code: '08006' });
  });
  const batch = batchOf(...[11, 12, 13].map((i) => result(device, dayUs + i, { checkResult: 'again' })));
  await expect(ingest.accept(bench.sender, batch)).rejects.toThrow('the connection was lost');
  isFailing = false;
  expect(await ingest.accept(bench.sender, batch)).toMatchObject({ inserted: 3 });
  expect((await bench.stored()).map((row) => row.check_result)).toEqual(['again', 'again', 'again']);
});

test('after a new connection numbers are read again: the server that took over may lack the last commits', async () => {
  const [device = 0] = bench.deviceNos;
  const dayUs = startOfDay(clock.nowUs());
  let opened = 1;
  const db = {
    ...bench.db,
    pool: {
      ...bench.db.pool,
      get opened() {
        return opened;
      },
    },
  };
  const ingest = bench.ingestWith(undefined, { db });
  const send = (i: number) =>
    ingest.accept(bench.sender, batchOf(result(device, dayUs + i, { checkResult: 'same' })));
  for (const i of [31, 32, 33]) await send(i);
  await sql`delete from check_facts where device_no = ${device}`.execute(bench.db.kysely);
  await sql`delete from check_rows where device_no = ${device}`.execute(bench.db.kysely);
  opened += 1;
  for (const i of [34, 35]) await send(i);
  expect((await bench.stored()).map((row) => row.check_result)).toEqual(['same', 'same']);
});

test('diagnostics are added to the extended data that a check repeats; facts of old days are dropped', async () => {
  const [device = 0] = bench.deviceNos;
  const dayUs = startOfDay(clock.nowUs());
  const ingest = bench.ingestWith();
  const values = { extendedJson: '{"Address":"192.0.2.1:80"}' };
  await ingest.accept(bench.sender, batchOf(...[21, 22, 23].map((i) => result(device, dayUs + i, values))));
  const extendedJson = '{"Traceroute":{"Hops":[]}}';
  await ingest.accept(
    bench.sender,
    batchOf({ case: 'diagnostics', value: { deviceNo: device, startUs: BigInt(dayUs + 22), extendedJson } }),
  );
  const extended = (await bench.stored())
    .toSorted((a, b) => a.start_us - b.start_us)
    .map((row) => row.extended);
  const plain = { Address: '192.0.2.1:80' };
  expect(extended).toEqual([plain, { ...plain, Traceroute: { Hops: [] } }, plain]);
  const days = () => sql`select 1 from check_facts where device_no = ${device}`.execute(bench.db.kysely);
  await dropFacts(bench.db.kysely, dayUs + 1);
  expect((await days()).rows).toHaveLength(1);
  await dropFacts(bench.db.kysely, dayUs + 86_400_000_000);
  expect((await days()).rows).toHaveLength(0);
});

/** A row of the view as a controller of an earlier version writes it. */
function wholeRow(device: number) {
  const nowUs = clock.nowUs();
  return {
    device_no: device,
    start_us: nowUs,
    agent_no: bench.sender.agentNo,
    location_no: bench.sender.locationNo,
    end_us: nowUs + 77,
    arrived_us: nowUs + 99,
    revision: 1,
    attempt: 0,
    code: 1,
    perf: 0,
    block_ms: 0,
    dns_ms: 0,
    connect_ms: 0,
    ssl_ms: 0,
    ttfb_ms: 0,
    ttlb_ms: 0,
    data_size: 7,
    check_result: 'whole',
    retry_id: null,
    run_request_id: null,
    extended: '{"a": 1}',
    behind_anchor: null,
    measured: null,
  };
}

test('an earlier controller writes whole rows by the view, each once', async () => {
  const [device = 0] = bench.deviceNos;
  const row = wholeRow(device);
  for (const inserted of [1n, 0n]) {
    const insert = bench.db.kysely
      .insertInto('checks')
      .values(row)
      .onConflict((conflict) => conflict.doNothing());
    expect((await insert.executeTakeFirst()).numInsertedOrUpdatedRows).toBe(inserted);
  }
  expect(await bench.stored()).toEqual([{ ...row, extended: { a: 1 } }]);
});

test('an earlier controller adds diagnostics by the view', async ({ skip }) => {
  skip(inject('databaseWorkers').length > 0, 'a distributed history is never used by an earlier version');
  const [device = 0] = bench.deviceNos;
  const row = wholeRow(device);
  await bench.db.kysely.insertInto('checks').values(row).execute();
  await sql`update checks set extended = extended || '{"b": 2}' where device_no = ${device}`.execute(
    bench.db.kysely,
  );
  expect(await bench.stored()).toEqual([{ ...row, extended: { a: 1, b: 2 } }]);
});

test('numbers at the ends of the small columns are read as they were stored', async () => {
  const [device = 0] = bench.deviceNos;
  const startUs = clock.nowUs() - 40 * 60 * minuteUs;
  const numbers = [1, 32_767, 32_768, 2_147_483_647];
  const phases = [0, 0.0004, 0.001, 0.0014, 1.5, 32.768, 65.535, 65.536, 65.5351, 86_400_000].map(
    Math.fround,
  );
  const rows = phases.map((ms, i): CheckRow => {
    const number = numbers[i % numbers.length] ?? 0;
    return goodCheck(startUs + i, {
      device_no: device,
      agent_no: bench.sender.agentNo,
      location_no: number,
      revision: number,
      end_us: startUs,
      arrived_us: startUs,
      block_ms: ms,
      dns_ms: ms,
      connect_ms: ms,
      ssl_ms: ms,
      ttfb_ms: ms,
      ttlb_ms: ms,
    });
  });
  await bench.db.kysely.transaction().execute((trx) => insertChecks(trx, rows));
  const stored = await bench.db.kysely
    .selectFrom('checks')
    .selectAll()
    .where('device_no', '=', device)
    .where(
      'start_us',
      'in',
      rows.map(({ start_us }) => start_us),
    )
    .orderBy('start_us')
    .execute();
  const names = ['block_ms', 'dns_ms', 'connect_ms', 'ssl_ms', 'ttfb_ms', 'ttlb_ms'] as const;
  const asReals = (row: CheckRow) => ({
    ...row,
    ...Object.fromEntries(names.map((name) => [name, Math.fround(row[name])])),
  });
  expect(stored.map(asReals)).toEqual(rows.map(asReals));
});
