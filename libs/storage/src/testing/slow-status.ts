import type { DeviceStatus } from '@vantage/domain';
import { type RawBuilder, sql } from 'kysely';

/** Like `StatusSql`, without joins. */
interface SlowStatus {
  readonly status: RawBuilder<DeviceStatus>;
  /** The start of the status, microseconds since 1970: for Down the first error, for Maint the start of the window. */
  readonly sinceUs: RawBuilder<number>;
  readonly retrying: RawBuilder<boolean>;
  /** The end of the current maintenance, of adjoining windows the last; null for a device in none. */
  readonly maintenanceUntilUs: RawBuilder<number | null>;
}

/**
 * The expected result of `statusSql`, from the original facts only: the status from the results, unless the device is
 * in a maintenance window or all its Locations are offline. For a query that has the table `devices` as d.
 */
export function slowStatus(nowUs: number): SlowStatus {
  const no = sql`d.device_no`;
  const inMaint = sql<boolean>`exists (select 1 from maintenance_windows w
    where w.device_no = ${no} and w.from_us <= ${nowUs}::bigint and w.to_us > ${nowUs}::bigint)`;
  const isOnline = sql<boolean>`exists (select 1 from device_locations dl join locations l on l.location_no = dl.location_no
    where dl.device_no = ${no} and l.online)`;
  const base = sql`(select s.status from device_state s where s.device_no = ${no})`;
  const created = sql`(select created_us from devices c where c.device_no = ${no})`;
  const maintEnded = sql`coalesce((select max(w.to_us) from maintenance_windows w
    where w.device_no = ${no} and w.to_us <= ${nowUs}::bigint), 0)`;
  const onlineSince = sql`coalesce((select min(l.online_since_us) from device_locations dl
    join locations l on l.location_no = dl.location_no
    where dl.device_no = ${no} and l.online), 0)`;
  const offlineSince = sql`(select max(l.offline_since_us) from device_locations dl
    join locations l on l.location_no = dl.location_no where dl.device_no = ${no})`;
  return {
    status: sql<DeviceStatus>`case when ${inMaint} then 'Maint' when not ${isOnline} then 'Unknown'
      else coalesce(${base}, 'Unknown') end`,
    sinceUs: sql<number>`case
      when ${inMaint} then (select min(w.from_us) from maintenance_windows w
        where w.device_no = ${no} and w.from_us <= ${nowUs}::bigint and w.to_us > ${nowUs}::bigint)
      else coalesce((select case
        when s.status = 'Unknown' then s.since_us
        when not ${isOnline} then greatest(s.since_us, coalesce(${offlineSince}, s.since_us))
        when s.status = 'Down' then greatest(s.since_us, ${maintEnded})
        else greatest(s.since_us, ${maintEnded}, ${onlineSince}) end
        from device_state s where s.device_no = ${no}), ${created}) end`,
    retrying: sql<boolean>`coalesce((select s.retrying from device_state s where s.device_no = ${no}), false)`,
    maintenanceUntilUs: sql<number | null>`(select max(joined.to_us) from (
        select later.to_us, count(*) filter (where later.from_us > later.before_us) over (order by later.from_us) as gaps
        from (select w.from_us, w.to_us, coalesce(max(w.to_us) over (order by w.from_us
            rows between unbounded preceding and 1 preceding), ${nowUs}::bigint) as before_us
          from maintenance_windows w where w.device_no = ${no} and w.to_us > ${nowUs}::bigint) later) joined
      where joined.gaps = 0)`,
  };
}
