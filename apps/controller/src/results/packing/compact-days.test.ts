import { dayUs } from '@vantage/domain';
import { systemClock as clock, createLog } from '@vantage/kernel';
import { partitionOf, startOfDay } from '@vantage/storage';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { batchOf, result, useIngestFixture } from '../ingest/testing/ingest-fixture.ts';
import { compactDays } from './compact-days.ts';

const bench = useIngestFixture();
const log = createLog('compact days test', 'silent');

async function marked() {
  const { rows } = await sql<{ day: number }>`select day_us as day from days_to_compact`.execute(
    bench.db.kysely,
  );
  return rows.map(({ day }) => day);
}

test('the partition of a marked day is written anew, and the mark of a day whose partition is gone goes', async () => {
  const [device = 0] = bench.deviceNos;
  const nowUs = clock.nowUs();
  const today = startOfDay(nowUs);
  await bench.ingestWith().accept(bench.sender, batchOf(result(device, nowUs)));
  const before = await bench.stored();
  const file = async () => {
    const { rows } = await sql`select pg_relation_filenode(${partitionOf(today).name}) as file`.execute(
      bench.db.kysely,
    );
    return rows;
  };
  const oldFile = await file();
  await sql`insert into days_to_compact (day_us) values (${today}), (${today - 99 * dayUs})`.execute(
    bench.db.kysely,
  );
  await compactDays(bench.db.kysely, log);
  expect(await marked()).toEqual([]);
  expect(await file()).not.toEqual(oldFile);
  expect(await bench.stored()).toEqual(before);
});

test('a day whose partition is read keeps its mark for the next call', async () => {
  const today = startOfDay(clock.nowUs());
  await sql`insert into days_to_compact (day_us) values (${today})`.execute(bench.db.kysely);
  await bench.db.kysely.transaction().execute(async (trx) => {
    await sql`lock table ${sql.table(partitionOf(today).name)} in share row exclusive mode`.execute(trx);
    await compactDays(bench.db.kysely, log);
    expect(await marked()).toEqual([today]);
  });
  await compactDays(bench.db.kysely, log);
  expect(await marked()).toEqual([]);
});
