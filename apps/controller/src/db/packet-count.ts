import { type RawBuilder, sql } from 'kysely';

/** More packets than a check sends; sums of it stay numbers. */
const maxPackets = 1_000_000;

/**
 * A number of packets in a check's extended data (`Sent`, `Received`), as float8: 0 where it is none. What an agent says there is not trusted:
 * any number that jsonb holds is brought between 0 and a million before it becomes a float8.
 */
export function packetCount(key: 'Sent' | 'Received'): RawBuilder<number> {
  const name = sql.lit(key);
  return sql`case when jsonb_typeof(extended->${name}) = 'number'
    then round(least(greatest((extended->>${name})::numeric, 0), ${sql.lit(maxPackets)}))::float8 else 0 end`;
}
