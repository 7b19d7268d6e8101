import { secondUs } from '@vantage/domain';
import type { Db } from '@vantage/storage';
import { createFixtures } from '@vantage/testing/fixtures';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { listOutages, maxJudged } from './outage-store.ts';

const outages = maxJudged + 10_000;
const nowUs = (outages + 1) * 60 * secondUs;
let db: Db;
let accountNo: number;
let deviceNos: readonly number[];
let statements = 0;

useDatabase(
  async (opened) => {
    db = opened;
    const make = createFixtures(db.kysely);
    accountNo = await make.account();
    deviceNos = [await make.device(accountNo, []), await make.device(accountNo, [])];
    // Each minute begins an outage of one of the two devices; it lasts for half a minute.
    await sql`insert into status_intervals
      select (${deviceNos}::int[])[n % 2 + 1], (n * 60 + half * 30) * 1000000::bigint,
        case half when 0 then 'Down' else 'Up' end
      from generate_series(1, ${outages}) n, generate_series(0, 1) half`.execute(db.kysely);
    await sql`analyze status_intervals`.execute(db.kysely);
  },
  {
    onStatement: () => {
      statements += 1;
    },
  },
);

const page = { fromUs: undefined, untilUs: undefined, before: undefined, limit: 10, offset: 0, nowUs: 0 };

test('a page of many outages is found without a look at all of them', async () => {
  statements = 0;
  const { rows, isComplete } = await listOutages(db, { accountNo }, { ...page, nowUs });
  expect(isComplete).toBe(true);
  expect(rows.map(({ from_us }) => from_us / 60 / secondUs)).toEqual(
    Array.from({ length: 11 }, (_, i) => outages - i),
  );
  expect(statements).toBeLessThan(8);
  const last = { fromUs: rows.at(-1)?.from_us ?? 0, deviceNo: rows.at(-1)?.device_no ?? 0 };
  const next = await listOutages(db, { accountNo }, { ...page, nowUs, before: last, offset: 1_500 });
  expect(next.rows[0]?.from_us).toBe(last.fromUs - 1_501 * 60 * secondUs);
});

test('filters that leave out all of very many outages end the list, and say that it is not complete', async () => {
  const all = await listOutages(db, { accountNo }, { ...page, nowUs, minSeconds: 31 });
  expect(all).toEqual({ rows: [], isComplete: false });
  const fromUs = nowUs - 10_000 * 60 * secondUs;
  const some = await listOutages(db, { accountNo }, { ...page, nowUs, fromUs, minSeconds: 31 });
  expect(some).toEqual({ rows: [], isComplete: true });
});
