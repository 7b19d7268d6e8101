import { histogramOf } from '@vantage/health';
import { systemClock as clock } from '@vantage/kernel';
import { createFixtures } from '@vantage/testing/fixtures';
import { expect, test } from 'vitest';
import {
  batchOf,
  minuteUs,
  result,
  useIngestFixture,
  type WireRecord,
} from '../../src/results/ingest/testing/ingest-fixture.ts';

const bench = useIngestFixture();

test('results that are refused are quarantined with their reasons, and the rest is stored', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const foreign = await createFixtures(bench.db.kysely).device(bench.sender.accountNo, []);
  const taken = await bench
    .ingestWith()
    .accept(
      bench.sender,
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
  expect(taken).toEqual({ inserted: 1, repeated: 0, quarantined: 7 });
  expect((await bench.quarantined()).map((row) => row.reason).sort()).toEqual([
    'a phase is not a length of time',
    'coverage ends before it begins',
    'extended_json is not a JSON object of at most 256 KiB and 64 levels',
    'more than 5 minutes in the future',
    'older than the retention of checks',
    'result_code is not one of 1 to 10',
    'the agent did not hold this device then',
  ]);
});

test('texts that PostgreSQL cannot hold are stored with the characters replaced', async () => {
  const [device = 0] = bench.deviceNos;
  const hostile = { checkResult: 'a\0b', extendedJson: '{"k\\u0000":["x\\u0000y","\\ud800"]}' };
  expect(
    await bench.ingestWith().accept(bench.sender, batchOf(result(device, clock.nowUs(), hostile))),
  ).toMatchObject({
    inserted: 1,
  });
  const [row] = await bench.stored();
  expect(row?.check_result).toBe('a\u{fffd}b');
  expect(row?.extended).toEqual({ 'k\u{fffd}': ['x\u{fffd}y', '\u{fffd}'] });
});

test('a result says by its own field that it failed behind an anchor, and only an inconclusive one does', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const checkResult =
    'anchor gateway (10.0.0.1) does not answer, and this device lies behind it (this check: no answer)';
  const folded: (boolean | null)[] = [];
  const ingest = bench.ingestWith(
    async (_, rows) => void folded.push(...rows.map((row) => row.behind_anchor)),
  );
  await ingest.accept(
    bench.sender,
    batchOf(
      result(device, nowUs - 3, { resultCode: 10, behindAnchor: true }),
      result(device, nowUs - 2, { resultCode: 10, checkResult }),
      result(device, nowUs - 1, { resultCode: 2, behindAnchor: true }),
    ),
  );
  const rows = (await bench.stored()).toSorted((a, b) => a.start_us - b.start_us);
  expect(rows.map((row) => row.behind_anchor)).toEqual([true, null, null]);
  expect(folded).toEqual([true, null, null]);
});

test('coverage that touches is joined, whatever the order in which it comes', async () => {
  const span = (fromUs: number, toUs: number): WireRecord => ({
    case: 'coverage',
    value: { fromUs: BigInt(fromUs), toUs: BigInt(toUs) },
  });
  const ingest = bench.ingestWith();
  await ingest.accept(bench.sender, batchOf(span(10, 20), span(30, 40)));
  await ingest.accept(bench.sender, batchOf(span(50, 60), span(35, 45)));
  await ingest.accept(bench.sender, batchOf(span(20, 30), span(12, 13)));
  const rows = await bench.db.kysely
    .selectFrom('coverage')
    .selectAll()
    .where('agent_no', '=', bench.sender.agentNo)
    .orderBy('from_us')
    .execute();
  expect(rows.map((row) => [row.from_us, row.to_us])).toEqual([
    [10, 45],
    [50, 60],
  ]);
});

test('gaps and clock records are kept once', async () => {
  const ingest = bench.ingestWith();
  const batch = batchOf(
    {
      case: 'gap',
      value: {
        gapId: `gap ${bench.sender.agentNo}`,
        fromUs: 1n,
        toUs: 9n,
        droppedResults: 7,
        reason: 'full',
      },
    },
    { case: 'clock', value: { atUs: 5n, offsetUs: -3n, roundTripUs: 2n } },
  );
  await ingest.accept(bench.sender, batch);
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 0, repeated: 0, quarantined: 0 });
  const gaps = await bench.db.kysely
    .selectFrom('gaps')
    .selectAll()
    .where('agent_no', '=', bench.sender.agentNo)
    .execute();
  expect(gaps).toMatchObject([{ from_us: 1, to_us: 9, dropped_results: 7, reason: 'full' }]);
  const clocks = await bench.db.kysely
    .selectFrom('clock_records')
    .selectAll()
    .where('agent_no', '=', bench.sender.agentNo)
    .execute();
  expect(clocks).toMatchObject([{ at_us: 5, offset_us: -3, round_trip_us: 2 }]);
});

test('a result that answers a run request closes it and notifies the controller that waits', async () => {
  const [device = 0] = bench.deviceNos;
  const runRequestId = `order ${bench.sender.agentNo}`;
  const notified = Promise.withResolvers<unknown>();
  await using _listening = await bench.db.subscribe('answer', notified.resolve);
  await bench.db.kysely
    .insertInto('run_requests')
    .values({
      run_request_id: runRequestId,
      kind: 'Now',
      device_no: device,
      agent_no: bench.sender.agentNo,
      location_no: bench.sender.locationNo,
      revision: 1,
      deadline_us: clock.nowUs() + minuteUs,
      created_us: clock.nowUs(),
      retry_id: null,
      sent_us: null,
      answered_us: null,
      check_id: null,
    })
    .execute();
  await bench.ingestWith().accept(bench.sender, batchOf(result(device, clock.nowUs(), { runRequestId })));
  expect(await notified.promise).toEqual({ run_request_id: runRequestId });
  const [check] = await bench.stored();
  const order = await bench.db.kysely
    .selectFrom('run_requests')
    .selectAll()
    .where('run_request_id', '=', runRequestId)
    .executeTakeFirst();
  expect(order).toMatchObject({ state: 'Answered' });
  expect(order?.check_id).toContain(check?.start_us.toString(16));
});

test('a late result marks its hour to be rolled up again', async () => {
  const [device = 0] = bench.deviceNos;
  const startUs = clock.nowUs() - 30 * 60 * minuteUs;
  await bench
    .ingestWith()
    .accept(bench.sender, batchOf(result(device, startUs), result(device, clock.nowUs())));
  const rows = await bench.db.kysely.selectFrom('rollup_dirty').selectAll().execute();
  expect(rows.map((row) => row.bucket_us)).toContain(startUs - (startUs % (60 * minuteUs)));
});

test('a check slower than its own past at this hour of the week is Slow, a failed one is Error', async () => {
  const [device = 0, fresh = 0] = bench.deviceNos;
  const startUs = clock.nowUs() - minuteUs;
  const hourUs = 60 * minuteUs;
  const weekAgo = startUs - (startUs % hourUs) - 168 * hourUs;
  await bench.db.kysely
    .insertInto('rollup_hourly')
    .values({
      device_no: device,
      bucket_us: weekAgo,
      location_no: bench.sender.locationNo,
      checks: 200,
      errors: 0,
      inconclusive: 0,
      sum_ms: 2_000,
      min_ms: 10,
      max_ms: 10,
      histogram: histogramOf(Array.from({ length: 200 }, () => 10)).map((pair) => [...pair]),
    })
    .execute();
  await bench
    .ingestWith()
    .accept(
      bench.sender,
      batchOf(
        result(device, startUs, { ttfbMs: 20 }),
        result(device, startUs + 1, { ttfbMs: 40 }),
        result(device, startUs + 2, { ttfbMs: 40, resultCode: 3 }),
        result(fresh, startUs, { ttfbMs: 40 }),
        result(fresh, startUs + 1, { ttfbMs: 1, slow: true }),
      ),
    );
  const rows = await bench.db.kysely
    .selectFrom('checks')
    .select('perf')
    .where('agent_no', '=', bench.sender.agentNo)
    .orderBy('device_no')
    .orderBy('start_us')
    .execute();
  expect(rows.map((row) => row.perf)).toEqual([0, 1, 2, 0, 1]);
});
