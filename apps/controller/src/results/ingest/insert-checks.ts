import { checkId, dayUs } from '@vantage/domain';
import { bigintArray, copyRows, intArray, startOfDay, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { columns } from './check-columns.ts';
import { type CheckRow, type NumberFacts, withoutNumbers } from './check-row.ts';

/**
 * Inserts rows of one agent in one COPY and returns those that are new; of rows with the same key the first one. The
 * devices' locks are held, so no other transaction inserts checks of these devices between the question and the COPY
 * (docs/adr/0017-check-rows.md).
 */
export async function insertChecks(
  trx: Kysely<Tables>,
  rows: readonly CheckRow[],
  numberFacts: NumberFacts = withoutNumbers,
): Promise<CheckRow[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const { rows: stored } = await storedKeys(first.agent_no, rows).execute(trx);
  const fresh = withoutStored(rows, stored);
  if (fresh.length > 0) {
    const numbered = await numberFacts(trx, fresh);
    // Most columns are empty in all rows of a batch.
    const used = columns.filter(({ value }) => numbered.some((one) => value(one) !== null));
    const names = sql.join(used.map(({ name }) => sql.ref(name)));
    await copyRows(trx, sql`copy check_rows (${names}) from stdin (format binary)`, used, numbered);
  }
  return fresh;
}

/** The rows that are not stored, each key once. Nearly always none is stored and each device has one row. */
function withoutStored(
  rows: readonly CheckRow[],
  stored: readonly Pick<CheckRow, 'device_no' | 'start_us'>[],
): CheckRow[] {
  const devices = new Set<number>();
  for (const row of rows) devices.add(row.device_no);
  if (stored.length === 0 && devices.size === rows.length) return [...rows];
  const seen = new Set(stored.map(keyOf));
  return rows.filter((row) => {
    const key = keyOf(row);
    return !seen.has(key) && seen.add(key);
  });
}

/**
 * The keys of the rows that are stored. The days are literals, so the plan reads only their partitions. One lookup for
 * each key uses the index, even with a plan from a time when the day was empty; a join would then read the whole day.
 */
export function storedKeys(agentNo: number, rows: readonly Pick<CheckRow, 'device_no' | 'start_us'>[]) {
  let [firstUs, lastUs] = [Number.MAX_SAFE_INTEGER, 0];
  for (const { start_us: us } of rows) {
    firstUs = Math.min(firstUs, us);
    lastUs = Math.max(lastUs, us);
  }
  return sql<Pick<CheckRow, 'device_no' | 'start_us'>>`
    select g.device_no, g.start_us
    from unnest(${intArray(rows.map((row) => row.device_no))}::int[], ${bigintArray(rows.map((row) => row.start_us))}::bigint[])
      as g (device_no, start_us)
    cross join lateral (
      select c.device_no from check_rows c where c.device_no = g.device_no and c.start_us = g.start_us and c.agent_no = ${agentNo}
        and c.start_us >= ${sql.lit(startOfDay(firstUs))} and c.start_us < ${sql.lit(startOfDay(lastUs) + dayUs)}
      group by c.device_no) stored`;
}

function keyOf(row: Pick<CheckRow, 'device_no' | 'start_us'>): string {
  return `${row.device_no}/${row.start_us}`;
}

/** The checks that answer a run request, with their ids. */
export function withIds(rows: readonly CheckRow[]) {
  return rows
    .filter((row) => row.run_request_id !== null)
    .map((row) => ({
      ...row,
      check_id: checkId({ deviceNo: row.device_no, startUs: row.start_us, agentNo: row.agent_no }),
    }));
}
