import { systemClock as clock, createLog } from '@vantage/kernel';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { runRequests } from '../../src/agents/run-requests/index.ts';
import { createIngest } from '../../src/results/ingest/ingest.ts';
import { mergeCoverage } from '../../src/results/ingest/ingest-store.ts';
import { storedKeys } from '../../src/results/ingest/insert-checks.ts';
import {
  batchOf,
  minuteUs,
  result,
  useIngestFixture,
  type WireRecord,
} from '../../src/results/ingest/testing/ingest-fixture.ts';
import { rollUps } from '../../src/results/roll-up/index.ts';

const bench = useIngestFixture();
const log = createLog('statements test', 'silent');

async function coverage() {
  const { rows } = await sql<{ fromUs: number; toUs: number }>`
    select from_us as "fromUs", to_us as "toUs" from coverage where agent_no = ${bench.sender.agentNo}
    order by from_us`.execute(bench.db.kysely);
  return rows;
}

/** How many statements a batch costs, and nothing of what they do. */
async function statementsOf(...records: WireRecord[]): Promise<number> {
  let count = 0;
  const counted = bench.db.kysely.withPlugin({
    transformQuery: ({ node }) => {
      count += 1;
      return node;
    },
    transformResult: async ({ result: found }) => found,
  });
  const db = { ...bench.db, kysely: counted };
  const ingest = createIngest({
    db,
    clock,
    log,
    rollUps,
    runRequests,
    retentionDays: 3,
    fold: async () => {},
    partitions: { ensure: async () => {} },
  });
  await ingest.accept(bench.sender, batchOf(...records));
  return count;
}

describe('a batch of 500 records costs a bounded number of statements', () => {
  const hourUs = 60 * minuteUs;
  const kinds: readonly (readonly [string, (i: number, nowUs: number) => WireRecord])[] = [
    [
      'coverage',
      (i) => ({ case: 'coverage', value: { fromUs: BigInt(i * 100), toUs: BigInt(i * 100 + 50) } }),
    ],
    [
      'gaps',
      (i) => ({
        case: 'gap',
        value: { gapId: `gap ${i}`, fromUs: 1n, toUs: 2n, droppedResults: 1, reason: 'x' },
      }),
    ],
    ['clocks', (i) => ({ case: 'clock', value: { atUs: BigInt(i), offsetUs: 0n, roundTripUs: 1n } })],
    [
      'diagnostics',
      (i, nowUs) => ({
        case: 'diagnostics',
        value: { deviceNo: bench.deviceNos[0] ?? 0, startUs: BigInt(nowUs - i), extendedJson: '{"a":1}' },
      }),
    ],
    ['results of as many hours', (i, nowUs) => result(bench.deviceNos[0] ?? 0, nowUs - i * hourUs)],
    ['records that are none', () => ({ case: 'coverage', value: { fromUs: 2n, toUs: 1n } })],
  ];
  test.each(kinds)('%s', async (_kind, make) => {
    const nowUs = clock.nowUs();
    const records = Array.from({ length: 500 }, (_, i) => make(i, nowUs));
    expect(await statementsOf(...records)).toBeLessThan(40);
  });
});

test('the question which checks are stored uses the index, also while PostgreSQL takes the day for empty', async () => {
  const nowUs = clock.nowUs();
  const keys = Array.from({ length: 500 }, (_, i) => ({ device_no: i + 1, start_us: nowUs - i }));
  const { rows } = await sql<{ 'QUERY PLAN': string }>`explain ${storedKeys(1, keys)}`.execute(
    bench.db.kysely,
  );
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(plan).not.toContain('Seq Scan');
  expect(plan).toMatch(/Index (Only )?Scan using checks_/);
});

test('property: coverage is the union of all spans, in whatever batches they come', async () => {
  const span = fc
    .tuple(fc.integer({ min: 0, max: 200 }), fc.integer({ min: 1, max: 30 }))
    .map(([fromUs, length]) => ({ fromUs, toUs: fromUs + length }));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(span, { maxLength: 12 }), { maxLength: 5 }), async (batches) => {
      await sql`delete from coverage where agent_no = ${bench.sender.agentNo}`.execute(bench.db.kysely);
      for (const spans of batches)
        await bench.db.kysely.transaction().execute((trx) => mergeCoverage(trx, bench.sender.agentNo, spans));
      const covered = new Set(
        batches
          .flat()
          .flatMap(({ fromUs, toUs }) => Array.from({ length: toUs - fromUs }, (_, i) => fromUs + i)),
      );
      const expected: { fromUs: number; toUs: number }[] = [];
      for (const us of [...covered].sort((a, b) => a - b)) {
        const last = expected.at(-1);
        if (last?.toUs === us) last.toUs = us + 1;
        else expected.push({ fromUs: us, toUs: us + 1 });
      }
      expect(await coverage()).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('the work of a stream that is over begins no further transaction', async () => {
  const [device = 0] = bench.deviceNos;
  const gone = new AbortController();
  gone.abort(new Error('the stream is over'));
  const batch = batchOf(result(device, clock.nowUs()));
  await expect(bench.ingestWith().accept(bench.sender, batch, gone.signal)).rejects.toThrow(
    'the stream is over',
  );
  expect(await bench.stored()).toEqual([]);
});
