import { type RawBuilder, sql } from 'kysely';

/** A device's status as the API shows it. */
export type DeviceStatus = 'Up' | 'Down' | 'Maint' | 'Unknown';

/** SQL fragments for a query that has the table `devices` under an alias. */
export interface StatusSql {
  readonly status: RawBuilder<DeviceStatus>;
  /** The begin of the status, microseconds since 1970: for Down the first error, for Maint the begin of the window. */
  readonly sinceUs: RawBuilder<number>;
  readonly retrying: RawBuilder<boolean>;
  /** The end of the current maintenance, of joined windows the last; null for a device in none. */
  readonly maintenanceUntilUs: RawBuilder<number | null>;
  /** A condition that keeps devices of this status. PostgreSQL can answer it with indexes instead of computing each device's status. */
  is(status: DeviceStatus): RawBuilder<boolean>;
}

/**
 * The status that the results give, unless the device is in a maintenance window or none of its Locations is online.
 * `alias` is the name of `devices` in the query. Use `status`, `sinceUs` and `retrying` in the select of a page of rows, and `is` in where.
 */
export function statusSql(nowUs: number, alias = 'd'): StatusSql {
  const no = sql.ref(`${alias}.device_no`);
  const inMaint = sql<boolean>`exists (select 1 from maintenance_windows w
    where w.device_no = ${no} and w.from_us <= ${nowUs}::bigint and w.to_us > ${nowUs}::bigint)`;
  const isOnline = sql<boolean>`exists (select 1 from device_locations dl join locations l on l.location_no = dl.location_no
    where dl.device_no = ${no} and l.online)`;
  const base = sql`(select s.status from device_state s where s.device_no = ${no})`;
  const created = sql`(select created_us from devices c where c.device_no = ${no})`;
  const baseIs = (status: string) =>
    sql<boolean>`exists (select 1 from device_state s where s.device_no = ${no} and s.status = ${status})`;
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
    is(status) {
      switch (status) {
        case 'Maint':
          return inMaint;
        case 'Up':
        case 'Down':
          return sql<boolean>`(${baseIs(status)} and ${isOnline} and not ${inMaint})`;
        case 'Unknown':
          return sql<boolean>`((not ${isOnline} or not (${baseIs('Up')} or ${baseIs('Down')})) and not ${inMaint})`;
      }
    },
  };
}
