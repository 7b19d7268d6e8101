import { systemClock as clock } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addDiagnostics, dropPendingDiagnostics } from './diagnostics-store.ts';
import { batchOf, minuteUs, result, useIngestFixture, type WireRecord } from './testing/ingest-fixture.ts';

const bench = useIngestFixture();
const trace = { Traceroute: { Reached: false, Hops: [] } };

function diagnostics(deviceNo: number, startUs: number, extendedJson = JSON.stringify(trace)): WireRecord {
  return { case: 'diagnostics', value: { deviceNo, startUs: BigInt(startUs), extendedJson } };
}

async function waiting() {
  const { rows } = await sql<{ device_no: number }>`
    select * from pending_diagnostics where agent_no = ${bench.sender.agentNo}`.execute(bench.db.kysely);
  return rows;
}

const nothing = { inserted: 0, repeated: 0, quarantined: 0 };

test('diagnostics are added to their check, in the same batch or later, and repeated ones change nothing', async () => {
  const [one = 0, two = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const ingest = bench.ingestWith();
  const failed = { resultCode: 2, extendedJson: '{"Address":"192.0.2.1:80"}' };
  await ingest.accept(
    bench.sender,
    batchOf(result(one, nowUs, failed), diagnostics(one, nowUs), result(two, nowUs, { resultCode: 2 })),
  );
  expect(await ingest.accept(bench.sender, batchOf(diagnostics(two, nowUs)))).toEqual(nothing);
  const before = await bench.stored();
  expect(before.map((row) => row.extended)).toEqual([{ Address: '192.0.2.1:80', ...trace }, trace]);
  await ingest.accept(
    bench.sender,
    batchOf(diagnostics(one, nowUs), diagnostics(two, nowUs), diagnostics(two, nowUs)),
  );
  expect(await bench.stored()).toEqual(before);
});

test('diagnostics never change the data of the result', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  await bench
    .ingestWith()
    .accept(
      bench.sender,
      batchOf(
        result(device, nowUs, { resultCode: 2, extendedJson: '{"Address":"192.0.2.1:80"}' }),
        diagnostics(device, nowUs, '{"Address":"198.51.100.1:1","More":1}'),
        diagnostics(device, nowUs, '{"Address":"198.51.100.2:1","Again":2}'),
      ),
    );
  const [row] = await bench.stored();
  expect(row?.extended).toEqual({ Address: '192.0.2.1:80', More: 1, Again: 2 });
  expect(row).toMatchObject({ code: 2, check_result: 'connected' });
});

test("an agent adds nothing to another agent's check, of its own account or of a foreign one", async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const ingest = bench.ingestWith();
  await ingest.accept(bench.sender, batchOf(result(device, nowUs, { resultCode: 2 })));
  const rows = createFixtures(bench.db.kysely);
  const foreign = await rows.account();
  for (const accountNo of [bench.sender.accountNo, foreign]) {
    const locationNo = await rows.location(accountNo);
    const { agentNo } = await rows.agent({ accountNo, locationNo });
    const taken = await ingest.accept({ agentNo, accountNo }, batchOf(diagnostics(device, nowUs)));
    expect(taken).toEqual(nothing);
  }
  expect((await bench.stored())[0]?.extended).toBeNull();
});

test('diagnostics that arrive before their result wait for it, through other controllers too', async () => {
  const [device = 0, other = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const take = (...records: WireRecord[]) => bench.ingestWith().accept(bench.sender, batchOf(...records));
  await take(
    diagnostics(device, nowUs),
    diagnostics(device, nowUs),
    diagnostics(device, nowUs, '{"More":1}'),
  );
  await take(diagnostics(device, nowUs), diagnostics(other, nowUs));
  await take(result(device, nowUs, { resultCode: 2, extendedJson: '{"Address":"192.0.2.1:80"}' }));
  const [row] = await bench.stored();
  expect(row?.extended).toEqual({ Address: '192.0.2.1:80', ...trace, More: 1 });
  expect(await waiting()).toMatchObject([{ device_no: other }]);
});

test('diagnostics of a good check that was requested wait for it too', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  await bench.ingestWith().accept(bench.sender, batchOf(diagnostics(device, nowUs)));
  await bench
    .ingestWith()
    .accept(bench.sender, batchOf(result(device, nowUs, { runRequestId: 'of-nobody' })));
  expect((await bench.stored())[0]).toMatchObject({ code: 1, extended: trace });
  expect(await waiting()).toEqual([]);
});

test('diagnostics wait for a bounded time, and never for a result that cannot come', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const rows = createFixtures(bench.db.kysely);
  const foreign = await rows.device(await rows.account(), []);
  const many = Array.from({ length: 250 }, (_, i) => diagnostics(device, nowUs - i));
  const never = [
    diagnostics(foreign, nowUs),
    diagnostics(device, 5),
    diagnostics(device, nowUs + 10 * minuteUs),
  ];
  await bench.ingestWith().accept(bench.sender, batchOf(...never, ...many));
  const kept = await waiting();
  expect(kept).toHaveLength(200);
  expect(new Set(kept.map((row) => row.device_no))).toEqual(new Set([device]));
  await dropPendingDiagnostics(bench.db.kysely, nowUs + minuteUs);
  expect(await waiting()).toEqual([]);
});

test('diagnostics of a check that is gone, or at a time without a partition, are dropped', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const taken = await bench
    .ingestWith()
    .accept(bench.sender, batchOf(diagnostics(device, nowUs - minuteUs), diagnostics(device, 5)));
  expect(taken).toEqual(nothing);
  expect(await bench.stored()).toEqual([]);
});

test('diagnostics that are no object, too long or of no device are quarantined', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const taken = await bench
    .ingestWith()
    .accept(
      bench.sender,
      batchOf(
        result(device, nowUs, { resultCode: 2 }),
        diagnostics(device, nowUs, ''),
        diagnostics(device, nowUs, '[1]'),
        diagnostics(device, nowUs, '{"a":'),
        diagnostics(device, nowUs, JSON.stringify({ long: 'x'.repeat(64 * 1024) })),
        diagnostics(0, nowUs),
        diagnostics(device, -1),
      ),
    );
  expect(taken).toEqual({ inserted: 1, repeated: 0, quarantined: 6 });
  const reasons = (await bench.quarantined()).map((row) => row.reason);
  const misshapen = 'extended_json of diagnostics is not a JSON object of at most 64 KiB and 64 levels';
  expect(reasons.sort()).toEqual([
    'device_no out of range',
    ...Array(4).fill(misshapen),
    'start_us out of range',
  ]);
  expect((await bench.stored())[0]?.extended).toBeNull();
});

test('characters that PostgreSQL cannot hold are replaced, and the data of a check are bounded', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const ingest = bench.ingestWith();
  await ingest.accept(
    bench.sender,
    batchOf(result(device, nowUs, { resultCode: 2 }), diagnostics(device, nowUs, '{"k\\u0000":"\\ud800"}')),
  );
  expect((await bench.stored())[0]?.extended).toEqual({ 'k\u{fffd}': '\u{fffd}' });
  for (let i = 0; i < 10; i += 1) {
    const long = JSON.stringify({ [`Key${i}`]: 'x'.repeat(60_000) });
    await ingest.accept(bench.sender, batchOf(diagnostics(device, nowUs, long)));
  }
  const [row] = await bench.stored();
  expect(JSON.stringify(row?.extended).length).toBeLessThan(512 * 1024);
});

/** Adds diagnostics to checks of the first device that started at `startUs`, as it is done under the device's lock. */
function add(startUs: readonly number[], extended: readonly string[], times = { fromUs: 0, toUs: 0 }) {
  const [deviceNo = 0] = bench.deviceNos;
  const pieces = startUs.flatMap((atUs) =>
    extended.map((text) => ({ deviceNo, startUs: atUs, extended: text })),
  );
  return bench.db.kysely
    .transaction()
    .execute((trx) => addDiagnostics(trx, bench.sender, pieces, { ...times, nowUs: clock.nowUs() }));
}

test('the diagnostics of a batch reach checks of different days', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const startsUs = [0, 25, 47].map((hours) => nowUs - hours * 60 * minuteUs);
  const failed = startsUs.map((startUs) => result(device, startUs, { resultCode: 2 }));
  await bench.ingestWith().accept(bench.sender, batchOf(...failed));
  await bench
    .ingestWith()
    .accept(bench.sender, batchOf(...startsUs.map((startUs) => diagnostics(device, startUs))));
  expect((await bench.stored()).map((row) => row.extended)).toEqual([trace, trace, trace]);
  expect(await waiting()).toEqual([]);
});

test('diagnostics wait for a result that starts within the times in which it can come, both ends included', async () => {
  const fromUs = clock.nowUs();
  const toUs = fromUs + 10;
  await add([fromUs - 1, fromUs, toUs, toUs + 1], ['{"a":1}'], { fromUs, toUs });
  const { rows } = await sql<{ atUs: number }>`
    select start_us as "atUs" from pending_diagnostics where agent_no = ${bench.sender.agentNo} order by 1`.execute(
    bench.db.kysely,
  );
  expect(rows.map(({ atUs }) => atUs)).toEqual([fromUs, toUs]);
});

/** Diagnostics whose text in the column has this length: `{"key": [1, 1, 1]}`. As JSON they are a third shorter. */
function pieceOf(key: string, length: number): string {
  const ones = Math.floor((length - `{"${key}": []}`.length + 2) / 3);
  const short = length - `{"${key}": []}`.length - (3 * ones - 2);
  return JSON.stringify({ [key]: [10 ** short, ...Array(ones - 1).fill(1)] });
}

/** The data of a check with the length of their text. */
async function dataOf(deviceNo: number, startUs: number) {
  const { rows } = await sql<{ extended: unknown; length: number | null }>`
    select extended, length(extended::text) as length from checks
    where device_no = ${deviceNo} and start_us = ${startUs}::bigint`.execute(bench.db.kysely);
  return rows;
}

test.each([
  ['as much as fits', 0, [524_288], [0]],
  ['one character more', 0, [524_289], []],
  ['pieces that fit together', 0, [300_000, 224_288], [0, 1]],
  ['pieces that do not', 0, [300_000, 224_289], [0]],
  ['pieces of which the first does not fit', 0, [524_289, 100_000], [1]],
  ['pieces beside what it has, of which the first fits', 300_000, [200_000, 100_000], [0]],
  ['pieces beside what it has, of which the second fits', 300_000, [250_000, 100_000], [1]],
])('a check takes of %s', async (_what, before, lengths, expected) => {
  const [device = 0] = bench.deviceNos;
  const startUs = clock.nowUs();
  await bench.ingestWith().accept(bench.sender, batchOf(result(device, startUs, { resultCode: 2 })));
  if (before > 0) await add([startUs], [pieceOf('before', before)]);
  const pieces = lengths.map((length, i) => pieceOf(`${i}`, length));
  await add([startUs], pieces);
  const [row, ...others] = await dataOf(device, startUs);
  const data = z.record(z.string(), z.unknown()).nullable().parse(row?.extended) ?? {};
  const kept = expected.reduce((sum, i) => sum + (lengths[i] ?? 0), before);
  expect(others).toEqual([]);
  expect(Object.keys(data).filter((key) => key !== 'before')).toEqual(expected.map(String));
  expect(row?.length).toBe(kept === 0 ? null : kept);
});
