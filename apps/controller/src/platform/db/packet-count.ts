import { type RawBuilder, sql } from 'kysely';

/** More packets than any check sends. Sums of it stay exact. */
const maxPackets = 1_000_000;

/**
 * A number of packets in a check's extended data (`Sent`, `Received`) as float8, or 0 when there is no number. The
 * agent's value is not trusted: any number that jsonb holds is limited to 0 to a million before it becomes a float8.
 */
export function packetCount(key: 'Sent' | 'Received'): RawBuilder<number> {
  const name = sql.lit(key);
  return sql`case when jsonb_typeof(extended->${name}) = 'number'
    then round(least(greatest((extended->>${name})::numeric, 0), ${sql.lit(maxPackets)}))::float8 else 0 end`;
}
