import type { DeviceStatus } from '@vantage/domain';
import { type RawBuilder, sql } from 'kysely';

/** Whether these Locations are the controllers, which receive the calls of the device. They count as online. */
export function isReceiver(locationNos: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`${locationNos} = '{0}'::int[]`;
}

/** SQL fragments for a query that has the table `devices` as d. */
interface StatusSql {
  /** Follows d in the FROM clause; the other fragments need it. */
  readonly joins: RawBuilder<unknown>;
  readonly status: RawBuilder<DeviceStatus>;
  /** The start of the status, microseconds since 1970: for Down the first error, for Maint the start of the window. */
  readonly sinceUs: RawBuilder<number>;
  readonly retrying: RawBuilder<boolean>;
  /** The end of the current maintenance, of adjoining windows the last; null for a device in none. */
  readonly maintenanceUntilUs: RawBuilder<number | null>;
}

/**
 * The shown status of devices: the one from the results, unless the device is in a maintenance window or all its
 * Locations are offline. It is computed for each row of the query; `device-groups.ts` finds the devices that have a
 * status. `rows` is the number of devices that d has. For a few devices the state is looked up by device number,
 * because PostgreSQL would read the states of all devices when an account has some thousand.
 */
export function statusSql(nowUs: number, rows: 'few' | 'many' = 'many'): StatusSql {
  const now = sql`${nowUs}::bigint`;
  const state =
    rows === 'few'
      ? sql`lateral (select * from device_state where device_no = d.device_no offset 0) ds on true`
      : sql`device_state ds on ds.device_no = d.device_no`;
  // Aggregates, because for many rows PostgreSQL would evaluate `exists` by reading all Locations of all devices.
  const joins = sql`
    left join ${state}
    cross join lateral (
      select coalesce(bool_or(l.online), ${isReceiver(sql`ds.location_nos`)}) as online, min(l.online_since_us) filter (where l.online) as online_since_us,
        max(l.offline_since_us) as offline_since_us
      from locations l where l.location_no = any(ds.location_nos)) here
    cross join lateral (
      select min(w.from_us) filter (where w.from_us <= ${now} and w.to_us > ${now}) as from_us,
        max(w.to_us) filter (where w.to_us <= ${now}) as ended_us
      from maintenance_windows w where w.device_no = d.device_no and (w.to_us > ${now} or not w.end_notified)) mw`;
  return {
    joins,
    status: sql<DeviceStatus>`case when mw.from_us is not null then 'Maint' when here.online then ds.status else 'Unknown' end`,
    sinceUs: sql<number>`coalesce(mw.from_us, case
      when ds.status = 'Unknown' then ds.since_us
      when not here.online then greatest(ds.since_us, here.offline_since_us)
      when ds.status = 'Down' then greatest(ds.base_since_us, mw.ended_us)
      else greatest(ds.base_since_us, mw.ended_us, here.online_since_us) end, d.created_us)`,
    retrying: sql<boolean>`coalesce(ds.retrying, false)`,
    maintenanceUntilUs: sql<number | null>`case when mw.from_us is null then null else (
      select max(joined.to_us) from (
        select later.to_us, count(*) filter (where later.from_us > later.before_us) over (order by later.from_us) as gaps
        from (select w.from_us, w.to_us, coalesce(max(w.to_us) over (order by w.from_us
            rows between unbounded preceding and 1 preceding), ${now}) as before_us
          from maintenance_windows w where w.device_no = d.device_no and w.to_us > ${now}) later) joined
      where joined.gaps = 0) end`,
  };
}
