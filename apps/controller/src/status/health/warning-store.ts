import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** Writes what is remembered of these devices (null: nothing), and returns the numbers of those that have a state. */
export async function writeWarnings(
  trx: Kysely<Tables>,
  devices: readonly { readonly deviceNo: number; readonly warnings: object | null }[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ device_no: number }>`
    update device_state s set warnings = nullif(g.warnings, 'null'::jsonb)
    from jsonb_to_recordset(${JSON.stringify(devices)}::jsonb) as g ("deviceNo" int, warnings jsonb)
    where s.device_no = g."deviceNo" returning s.device_no`.execute(trx);
  return new Set(rows.map((row) => row.device_no));
}
