import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * Is `deviceNo` among the masters of `masterNo`, or the same device? Masters count that a limited caller does not see.
 */
export async function createsCycle(
  trx: Kysely<Tables>,
  deviceNo: number,
  masterNo: number,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select ${deviceNo}::int in (select device_no from masters_of(${masterNo}::int)) as found`.execute(trx);
  return rows[0]?.found ?? false;
}
