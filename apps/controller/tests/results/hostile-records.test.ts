import { systemClock as clock, newId } from '@vantage/kernel';
import { lockDevices } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  batchOf,
  minuteUs,
  result,
  useIngestFixture,
  type WireRecord,
} from '../../src/results/ingest/testing/ingest-fixture.ts';

const bench = useIngestFixture();

/** An agent of an account of its own. */
async function stranger() {
  const rows = createFixtures(bench.db.kysely);
  const accountNo = await rows.account();
  const locationNo = await rows.location(accountNo);
  const { agentNo } = await rows.agent({ accountNo, locationNo });
  return { agentNo, locationNo, accountNo };
}

test.each([
  ['a number beyond a float8', '{"Sent":1e1000}'],
  ['65 levels', `{"a":${'['.repeat(64)}${']'.repeat(64)}}`],
  ['100,000 levels', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
])(
  'extended data with %s are quarantined, as diagnostics too, and the rest is taken',
  async (_what, extendedJson) => {
    const [device = 0] = bench.deviceNos;
    const nowUs = clock.nowUs();
    const taken = await bench.ingestWith().accept(
      bench.sender,
      batchOf(result(device, nowUs), result(device, nowUs - 1, { extendedJson }), {
        case: 'diagnostics',
        value: { deviceNo: device, startUs: BigInt(nowUs), extendedJson },
      }),
    );
    expect(taken).toEqual({ inserted: 1, repeated: 0, quarantined: 2 });
    expect((await bench.quarantined()).every(({ reason }) => reason.includes('64 levels'))).toBe(true);
  },
);

test('a phase too short for its column is stored as 0, without a second try', async () => {
  const [device = 0] = bench.deviceNos;
  let folds = 0;
  const ingest = bench.ingestWith(async () => {
    folds += 1;
  });
  const batch = batchOf(
    result(device, clock.nowUs(), { connectMs: 1e-300, dataSize: 5e-324, extendedJson: '{"a":1e-999}' }),
    result(device, clock.nowUs() - 1),
  );
  expect(await ingest.accept(bench.sender, batch)).toMatchObject({ inserted: 2 });
  expect(folds).toBe(1);
  expect(new Set((await bench.stored()).map((row) => row.connect_ms))).toEqual(new Set([0, 3]));
});

test('a result that stands twice in a batch is counted and folded once, and the first one counts', async () => {
  const [device = 0, other = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const folded: number[] = [];
  const ingest = bench.ingestWith(
    async (_trx, rows) => void folded.push(...rows.map((row) => row.device_no)),
  );
  const batch = batchOf(
    result(device, nowUs, { checkResult: 'first' }),
    result(other, nowUs),
    result(device, nowUs, { checkResult: 'second', resultCode: 3 }),
  );
  expect(await ingest.accept(bench.sender, batch)).toEqual({ inserted: 2, repeated: 1, quarantined: 0 });
  expect(folded).toEqual([device, other]);
  const texts = (await bench.stored()).map((row) => row.check_result);
  expect(texts.sort()).toEqual(['connected', 'first']);
});

test('two agents may give their gaps the same id', async () => {
  const gap: WireRecord = {
    case: 'gap',
    value: { gapId: newId(), fromUs: 1n, toUs: 9n, droppedResults: 7, reason: 'full' },
  };
  const ingest = bench.ingestWith();
  const senders = [bench.sender, await stranger()];
  for (const sender of senders) await ingest.accept(sender, batchOf(gap));
  const rows = await bench.db.kysely
    .selectFrom('gaps')
    .select('agent_no')
    .where('gap_id', '=', gap.value.gapId ?? '')
    .execute();
  expect(new Set(rows.map((row) => row.agent_no))).toEqual(new Set(senders.map(({ agentNo }) => agentNo)));
  expect(rows).toHaveLength(2);
});

test('a record of any kind that the database refuses is quarantined with its reason', async () => {
  const [device = 0] = bench.deviceNos;
  await sql`create function refuse_clock() returns trigger language plpgsql as
    $$ begin raise exception 'no such clock' using errcode = '22003'; end $$`.execute(bench.db.kysely);
  await sql`create trigger refuse before insert on clock_records for each row execute function refuse_clock()`.execute(
    bench.db.kysely,
  );
  const taken = await bench
    .ingestWith()
    .accept(
      bench.sender,
      batchOf(
        { case: 'clock', value: { atUs: 5n, offsetUs: -3n, roundTripUs: 2n } },
        result(device, clock.nowUs()),
      ),
    );
  await sql`drop trigger refuse on clock_records`.execute(bench.db.kysely);
  expect(taken).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
  expect(await bench.quarantined()).toMatchObject([{ reason: 'could not be stored: no such clock' }]);
});

test('a batch that names a device of another account does not wait for that device', async () => {
  const [device = 0] = bench.deviceNos;
  const foreign = await createFixtures(bench.db.kysely).device((await stranger()).accountNo, []);
  await bench.db.kysely.transaction().execute(async (trx) => {
    await lockDevices(trx, [foreign]);
    const taken = await bench.ingestWith().accept(
      bench.sender,
      batchOf(result(device, clock.nowUs()), result(foreign, clock.nowUs()), {
        case: 'diagnostics',
        value: { deviceNo: foreign, startUs: BigInt(clock.nowUs() - minuteUs), extendedJson: '{"a":1}' },
      }),
    );
    expect(taken).toEqual({ inserted: 1, repeated: 0, quarantined: 1 });
  });
});
