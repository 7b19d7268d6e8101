import { dayUs } from '@vantage/domain';
import { createLog } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createPartitions, type Db } from '../index.ts';

const log = createLog('narrow key test', 'silent');
const clock = createFakeClock(Date.UTC(2027, 2, 14, 12) * 1000);
let db: Db;

/** A database as version 0.2.0 may leave it: four partitions with checks, and the index of the parent alone. */
useDatabase(async (opened) => {
  db = opened;
  await sql`drop index check_rows_by_start`.execute(db.kysely);
  await sql`alter table check_rows add constraint checks_pkey primary key (device_no, start_us, agent_no)`.execute(
    db.kysely,
  );
  await createPartitions({ db, clock, log, retentionDays: 1 }).ensure();
  await sql`
    insert into check_rows (device_no, start_us, agent_no, location_no, arrived_after_us, revision, code)
    select i % 3, ${clock.nowUs() - dayUs}::bigint + i * 86400000::bigint, 1, 1, 1, 1, 1 from generate_series(1, 2999) i`.execute(
    db.kysely,
  );
  await sql`
    create index check_rows_by_start on only check_rows (device_no, start_us) with (fillfactor = 100, deduplicate_items = off)`.execute(
    db.kysely,
  );
});

/** The columns of the indexes that the partitions have for all their checks. */
async function keys(): Promise<readonly string[]> {
  const { rows } = await sql<{ day: string; columns: string }>`
    select t.relname as day, string_agg(regexp_replace(pg_get_indexdef(x.indexrelid), '^.*btree (\\(.*?\\)).*$', '\\1'), ' ' order by x.indnatts) as columns
    from pg_inherits i join pg_class t on t.oid = i.inhrelid join pg_index x on x.indrelid = t.oid and x.indpred is null and x.indisvalid
    where i.inhparent = 'check_rows'::regclass group by 1 order by 1`.execute(db.kysely);
  return rows.map(({ day, columns }) => `${day.slice(-2)} ${columns}`);
}

test('partitions of an earlier version get the narrow index, that of today after its day, and the wide key goes at the end', async () => {
  const [wide, narrow] = ['(device_no, start_us, agent_no)', '(device_no, start_us)'];
  const partitions = createPartitions({ db, clock, log, retentionDays: 1 });
  expect(await keys()).toEqual(['13', '14', '15', '16'].map((day) => `${day} ${wide}`));

  expect(await partitions.narrowIndex()).toBe(true);
  expect(await keys()).toEqual([
    `13 ${narrow} ${wide}`,
    `14 ${wide}`,
    `15 ${narrow} ${wide}`,
    `16 ${narrow} ${wide}`,
  ]);

  await clock.advance(dayUs / 1000);
  await partitions.ensure();
  expect(await partitions.narrowIndex()).toBe(true);
  expect(await keys()).toEqual(['13', '14', '15', '16', '17'].map((day) => `${day} ${narrow}`));
  const { rows } = await sql<{ n: number; valid: boolean }>`
    select (select count(*)::int from checks) as n,
      (select indisvalid from pg_index where indexrelid = 'check_rows_by_start'::regclass) as valid`.execute(
    db.kysely,
  );
  expect(rows).toEqual([{ n: 2999, valid: true }]);
  expect(await partitions.narrowIndex()).toBe(true);
});
