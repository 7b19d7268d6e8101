import { type Kysely, sql } from 'kysely';
import type { Tables } from '../../platform/db/index.ts';

/** People's notes about an outage. */
export interface OutageNote {
  readonly note: string | null;
  readonly excluded: boolean;
}

/**
 * Stores what people say about the outage of this device that lasts from its first error to its end (null: open), in
 * place of what they said before.
 */
export async function writeOutageNote(
  trx: Kysely<Tables>,
  outage: { readonly device_no: number; readonly from_us: number; readonly end_us: number | null },
  { note, excluded }: OutageNote,
): Promise<void> {
  const { device_no, from_us, end_us } = outage;
  await sql`delete from outage_notes where device_no = ${device_no}::int and from_us >= ${from_us}::bigint
    and (${end_us}::bigint is null or from_us < ${end_us}::bigint)`.execute(trx);
  if (note === null && !excluded) return;
  await trx.insertInto('outage_notes').values({ device_no, from_us, note, excluded }).execute();
}
