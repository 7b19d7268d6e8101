import { type Kysely, sql } from 'kysely';
import { bigintArray, intArray } from '../binary-array.ts';
import type { Row, Tables } from '../schema.ts';

/** Those of these devices that have held checks. Under the devices' locks the answer holds until they end. */
export async function heldDevices(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<ReadonlySet<number>> {
  if (deviceNos.length === 0) return new Set();
  const { rows } = await sql<{ device_no: number }>`
    select g.device_no from unnest(${intArray([...new Set(deviceNos)])}::int[]) as g (device_no)
    where exists (select from held_checks h where h.device_no = g.device_no)`.execute(trx);
  return new Set(rows.map((row) => row.device_no));
}

/** The held checks of devices from these starts on; `extended` is JSON text here. */
export async function heldSince(
  trx: Kysely<Tables>,
  from: readonly { readonly deviceNo: number; readonly startUs: number }[],
): Promise<Row<'checks'>[]> {
  const { rows } = await sql<{ stored: Row<'checks'> }>`
    select h.stored
    from unnest(${intArray(from.map(({ deviceNo }) => deviceNo))}::int[],
      ${bigintArray(from.map(({ startUs }) => startUs))}::bigint[]) as f (device_no, start_us)
    join held_checks h on h.device_no = f.device_no and h.start_us >= f.start_us`.execute(trx);
  return rows.map(({ stored }) => stored);
}
