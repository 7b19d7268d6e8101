import { type RawBuilder, sql } from 'kysely';
import { isReceiver } from './device-status.ts';

/**
 * Common table expressions for a statement about the shown statuses of an account's devices (`statusSql` computes the
 * same device by device):
 *
 * - `groups`: the devices with the same Locations and the same stored status have the same shown status, `status`,
 *   except those with a maintenance window. The status began at `base_since_us` of the device where `by_base` is true,
 *   else at its `since_us`, but not before `floor_us` (-1: no such limit). `devices` counts the group, including the
 *   exceptions.
 * - `apart`: the exceptions, with their shown `status` and `since_us`: the devices in a window, and the devices whose
 *   window has ended while its end is not recorded yet. A window with a recorded end counts as ended, whatever the
 *   clock of this controller says: a plan for all values needs a small index.
 *
 * `ofBase` limits `apart` to the devices with this stored status. Only few devices are Down, and they have an index.
 *
 * The number of rows depends on the combinations of Locations and on the devices in maintenance, not on the number of
 * devices.
 */
export function deviceGroups(accountNo: number, nowUs: number, ofBase?: 'Down'): RawBuilder<unknown> {
  const isOfBase = ofBase === undefined ? sql`true` : sql`s.status = ${sql.lit(ofBase)}`;
  return sql`
    counted as materialized (
      select location_nos, status as base, sum(devices)::int as devices from device_counts
      where account_no = ${accountNo}::int group by 1, 2 having sum(devices) > 0
    ), groups as materialized (
      select c.location_nos, c.base, c.devices, l.online or c.base = 'Unknown' as by_base,
        case when l.online then c.base else 'Unknown' end as status,
        case when c.base = 'Unknown' then -1 when not l.online then l.offline_since_us when c.base = 'Up' then l.online_since_us else -1 end
          as floor_us
      from counted c cross join lateral (
        select coalesce(bool_or(online), ${isReceiver(sql`c.location_nos`)}) as online, coalesce(min(online_since_us) filter (where online), -1) as online_since_us,
          coalesce(max(offline_since_us), -1) as offline_since_us
        from locations where location_no = any(c.location_nos)) l
    ), apart as materialized (
      select a.device_no, g.location_nos, g.base,
        case when a.from_us is null then g.status else 'Maint' end as status,
        coalesce(a.from_us, case when g.by_base and g.base <> 'Unknown' then greatest(a.base_since_us, a.ended_us, g.floor_us)
          else greatest(a.since_us, g.floor_us) end) as since_us
      from (
        select s.*, w.from_us, w.ended_us from (
          select device_no, min(from_us) filter (where to_us > ${nowUs}::bigint) as from_us, max(to_us) as ended_us
          from maintenance_windows
          where from_us <= ${nowUs}::bigint and not end_notified
          group by device_no) w
        cross join lateral (
          select s.device_no, s.location_nos, s.status as base, s.since_us, s.base_since_us from device_state s
          where s.device_no = w.device_no and s.account_no = ${accountNo}::int and ${isOfBase} offset 0) s) a
      join groups g on g.location_nos = a.location_nos and g.base = a.base
    )`;
}
