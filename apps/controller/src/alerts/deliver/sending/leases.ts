import { type RawBuilder, sql } from 'kysely';

/** The length of a lease. An attempt ends before its lease does. */
export const leaseUs = 40_000_000;

/** The database's clock, so that controllers with different clocks agree which leases have ended. */
const dbNowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;

/** The end of a lease that begins now. */
export const leaseEndUs = sql<number>`${dbNowUs} + ${sql.lit(leaseUs)}::bigint`;

/**
 * Whether the row of this table alias has no lease that still runs. One that ends later than a lease can was taken
 * while the database's clock was ahead.
 */
export function isUnleased(alias: string): RawBuilder<boolean> {
  const endUs = sql.ref(`${alias}.lease_until_us`);
  return sql`(${endUs} is null or ${endUs} < ${dbNowUs} or ${endUs} > ${dbNowUs} + ${sql.lit(2 * leaseUs)}::bigint)`;
}
