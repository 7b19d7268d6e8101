import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import type { Database } from '../db.ts';
import { laneConnections } from './lanes.ts';

const soon = { timeout: 60_000, interval: 20 };
let db: Database;
useDatabase((opened) => {
  db = opened;
});

const held = 46_000;
/** The connections of a name that wait for the lock. */
async function waiting(name: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = ${name} and wait_event_type = 'Lock'`.execute(
    db.kysely,
  );
  return rows[0]?.n ?? 0;
}

test.for(['reads', 'history'] as const)(
  'statements of one account in the lane %s get a share of its connections, and none of those for other work',
  async (lane) => {
    const { running, perOwner } = laneConnections[lane];
    const name = `vantage ${lane}`;
    await db.kysely.connection().execute(async (holder) => {
      await sql`select pg_advisory_lock(${held})`.execute(holder);
      const read = (accountNo: number) =>
        sql`select pg_advisory_xact_lock(${held})`
          .execute(db.lane(lane, accountNo).kysely)
          .then(() => accountNo);
      const first = Array.from({ length: 20 }, () => read(1));
      await vi.waitFor(async () => expect(await waiting(name)).toBe(perOwner.running), soon);
      const one = await sql<{ n: number }>`select 1 as n`.execute(db.lane(lane, 2).kysely);
      expect(one.rows).toEqual([{ n: 1 }]);
      const others = [2, 3, 4, 5].flatMap((accountNo) => [read(accountNo), read(accountNo)]);
      await vi.waitFor(async () => expect(await waiting(name)).toBe(running), soon);
      expect(await waiting('vantage')).toBe(0);
      expect((await sql<{ n: number }>`select 1 as n`.execute(db.kysely)).rows).toEqual([{ n: 1 }]);
      await sql`select pg_advisory_unlock(${held})`.execute(holder);
      expect(await Promise.all([...first, ...others])).toHaveLength(28);
    });
  },
);

test('a statement that fails gives its turn back, and a transaction keeps its own connection', async () => {
  for (let i = 0; i < 20; i += 1)
    await expect(sql`select 1 / 0`.execute(db.lane('history', 1).kysely)).rejects.toThrow('division by zero');
  const pid = sql<{ pid: number }>`select pg_backend_pid() as pid`;
  await db.lane('history', 1).inTransaction(async ({ kysely }) => {
    const own = (await pid.execute(kysely)).rows;
    expect((await pid.execute(kysely)).rows).toEqual(own);
  });
});
