import { type RawBuilder, sql } from 'kysely';

/**
 * The load of the devices of a Location, for a query that has the table `locations` as l: `devices`, their number
 * without the paused ones, and `per_minute`, their regular checks a minute. A device at several Locations asks each of
 * them for its part. It reads the counts that `device_counts` keeps, so it costs the same however many devices there
 * are.
 */
export const locationLoad: RawBuilder<unknown> = sql`
  select coalesce(sum(c.devices), 0)::int as devices,
    coalesce(sum(c.devices / c.frequency_min / cardinality(c.location_nos)), 0)::float8 as per_minute
  from device_counts c
  where c.account_no = l.account_no and c.location_nos @> array[l.location_no] and c.frequency_min > 0`;
