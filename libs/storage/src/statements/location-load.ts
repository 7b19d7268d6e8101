import { type RawBuilder, sql } from 'kysely';

/**
 * The load of a Location, for a query that has the table `locations` as l: `devices`, the number of devices that are
 * not paused, and `per_minute`, their regular checks per minute. The checks of a device are shared equally among its
 * Locations. It reads `device_counts`, so its cost does not depend on the number of devices.
 */
export const locationLoad: RawBuilder<unknown> = sql`
  select coalesce(sum(c.devices), 0)::int as devices,
    coalesce(sum(c.devices / c.frequency_min / cardinality(c.location_nos)), 0)::float8 as per_minute
  from device_counts c
  where c.account_no = l.account_no and c.location_nos @> array[l.location_no] and c.frequency_min > 0`;
