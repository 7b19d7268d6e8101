import type pg from 'pg';
import { z } from 'zod';

/** The checks of some devices that were due in a span, beside those that are stored. */
export interface DueChecks {
  readonly due: number;
  /** Due times that have a stored check. */
  readonly stored: number;
  /** Checks beyond the first one of a due time. */
  readonly again: number;
  /** Due times without one, milliseconds since 1970. */
  readonly missingMs: number[];
}

const row = z.object({ due: z.number(), stored: z.number(), rows: z.number(), missing: z.array(z.number()) });

/**
 * A device is due at its first time in the span and each interval later. A check's own due time is its start without
 * its lateness.
 */
const sql = `
with own as (
  select c.device_no, c.start_us - round(c.block_ms::numeric * 1000)::bigint as due_us
  from checks c join devices d using (device_no)
  where d.device_id = any($1) and c.attempt = 0 and c.run_request_id is null
    and c.start_us >= $2 and c.start_us < $3::bigint + 60000000),
firsts as (select device_no, min(due_us) as first_us from own where due_us >= $2 and due_us < $3 group by 1),
turns as (
  select device_no, round((due_us - first_us)::float8 / $4)::int as turn, count(*) as checks
  from own join firsts using (device_no) where due_us >= $2 and due_us < $3 group by 1, 2),
due as (
  select device_no, turn, first_us + turn * $4::bigint as due_us
  from firsts cross join lateral generate_series(
    -floor((first_us - $2)::float8 / $4)::int, floor(($3::bigint - 1 - first_us)::float8 / $4)::int) as turn)
select count(*)::float8 as due, count(checks)::float8 as stored, coalesce(sum(checks), 0)::float8 as rows,
  coalesce(array_agg(due.due_us / 1000 order by due.due_us) filter (where checks is null), '{}')::float8[] as missing
from due left join turns using (device_no, turn)`;

/** Compares the due times of devices with an interval in a span with the stored checks. */
export async function compareDue(
  client: pg.Client,
  of: {
    readonly ids: readonly string[];
    readonly fromMs: number;
    readonly toMs: number;
    readonly intervalMs: number;
  },
): Promise<DueChecks> {
  const values = [of.ids, of.fromMs * 1_000, of.toMs * 1_000, of.intervalMs * 1_000];
  const { due, stored, rows, missing } = row.parse((await client.query(sql, values)).rows[0]);
  return { due, stored, again: rows - stored, missingMs: missing };
}
