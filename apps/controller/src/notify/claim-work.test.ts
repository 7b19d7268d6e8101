import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freeRows, mergeableRows } from './claim-store.ts';
import { createWorkbench } from './testing/workbench.ts';

const waiting = 500;

test('a claim reads each notification that waits for a contact a few times, however many wait and however old the statistics are', async () => {
  await using bench = await createWorkbench();
  const contactNo = await bench.webhook('http://127.0.0.1:1/');
  await bench.add(
    ...Array.from({ length: waiting }, (_, i) => [contactNo, `device:${i}`, `device ${i}`] as const),
  );
  await bench.db.kysely.transaction().execute(async (trx) => {
    const ask = { contactNo, nowUs: Number.MAX_SAFE_INTEGER, areAttempted: false, limit: 4 };
    expect(await freeRows(trx, ask)).toHaveLength(4);
    expect(await mergeableRows(trx, contactNo, waiting)).toHaveLength(waiting);
    const { rows } = await sql<{ read: number }>`
      select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
      from pg_stat_xact_user_tables where relname = 'notifications'`.execute(trx);
    expect(rows[0]?.read).toBeGreaterThanOrEqual(2 * waiting);
    expect(rows[0]?.read).toBeLessThan(10 * waiting);
  });
});
