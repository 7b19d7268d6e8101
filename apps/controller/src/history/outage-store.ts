import { sql } from 'kysely';
import type { Db } from '../db/index.ts';
import type { EventScope } from './event-store.ts';

/** An outage as users see it; times are microseconds since 1970. */
export interface OutageRow {
  readonly device_no: number;
  readonly device_id: string;
  readonly short_name: string;
  /** The first error of the confirmed failure. */
  readonly from_us: number;
  /** The same, or the end of the maintenance that the first error fell into. */
  readonly start_us: number;
  /** The next Up; null while the outage is open. */
  readonly end_us: number | null;
  readonly location: string | null;
  readonly check_result: string | null;
  readonly check_id: string | null;
  /** Somebody acknowledged an alert of it. */
  readonly acknowledged: boolean;
}

/** Which outages are listed: those that share time with [fromUs, untilUs). */
export interface OutagePage {
  readonly fromUs: number | undefined;
  readonly untilUs: number | undefined;
  /** Outages that began before this one only. */
  readonly before: { readonly fromUs: number; readonly deviceNo: number } | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly nowUs: number;
}

/** Outages, those with the newest first error first, one row more than `limit` to know whether there are more. */
export async function listOutages(
  { kysely }: Db,
  scope: EventScope,
  page: OutagePage,
): Promise<readonly OutageRow[]> {
  const { rows } = await outagesPage(scope, page).execute(kysely);
  return rows;
}

/** A failure is confirmed within this time: ten retries, each with the longest RetryDelay and Timeout. */
const confirmedWithinUs = 10 * (300 + 120) * 1_000_000;

/**
 * The statement behind `listOutages`. A Down that follows a Down with only Unknown between belongs to the same outage. Maintenance goes before Down: an
 * outage shows what lies outside of it, and one that lies wholly inside is none. The first subquery sorts before anything is judged, so that
 * only the outages of the page are judged.
 */
export function outagesPage(scope: EventScope, page: OutagePage) {
  const { nowUs, limit, offset } = page;
  return sql<OutageRow>`
    select o.*, e.check_result, e.check_id, l.name as location,
      exists (select 1 from alerts a where a.device_no = o.device_no and a.kind = 'device.down'
        and a.acknowledged_us is not null and a.opened_us >= o.from_us
        and (o.end_us is null or a.opened_us <= o.end_us)) as acknowledged
    from (
      select s.device_no, s.device_id, s.short_name, s.from_us, lower(v.visible) as start_us, u.end_us
      from (
        select d.device_no, d.device_id, d.short_name, i.from_us from devices d join status_intervals i using (device_no)
        where ${sql.join(conditionsOf(scope, page), sql` and `)}
        order by i.from_us desc, d.device_no desc offset 0
      ) s
      cross join lateral (
        select (select status from status_intervals where device_no = s.device_no and from_us < s.from_us
          and status <> 'Unknown' order by from_us desc limit 1) as status) p
      cross join lateral (
        select (select from_us from status_intervals where device_no = s.device_no and from_us > s.from_us
          and status = 'Up' order by from_us limit 1) as end_us offset 0) u
      cross join lateral (select greatest(coalesce(u.end_us, ${nowUs}::bigint), s.from_us + 1) as to_us) t
      cross join lateral (
        select int8multirange(int8range(s.from_us, t.to_us)) - coalesce(
          (select range_agg(int8range(from_us, to_us)) from maintenance_windows
            where device_no = s.device_no and to_us > s.from_us and from_us < t.to_us), '{}') as visible) v
      where p.status is distinct from 'Down' and not isempty(v.visible)
        ${page.fromUs === undefined ? sql`` : sql`and t.to_us >= ${page.fromUs}::bigint`}
        ${page.untilUs === undefined ? sql`` : sql`and lower(v.visible) < ${page.untilUs}::bigint`}
      order by s.from_us desc, s.device_no desc limit ${limit + 1} offset ${offset}
    ) o
    left join lateral (
      (select check_result, check_id, location_no from events
        where device_no = o.device_no and type = 'Error' and at_us <= o.from_us and at_us > o.from_us - 1000000
        order by at_us desc, event_no desc limit 1)
      union all
      (select check_result, check_id, location_no from events
        where device_no = o.device_no and type = 'Down' and at_us >= o.from_us
          and at_us < least(o.end_us, o.from_us + ${confirmedWithinUs}::bigint)
        order by at_us, event_no limit 1)
      limit 1) e on true
    left join locations l on l.location_no = e.location_no
    order by o.from_us desc, o.device_no desc`;
}

function conditionsOf(scope: EventScope, { fromUs, untilUs, before }: OutagePage) {
  return [
    'deviceNo' in scope
      ? sql`d.device_no = ${scope.deviceNo}::int`
      : sql`d.account_no = ${scope.accountNo}::int`,
    sql`i.status = 'Down'`,
    ...(untilUs === undefined ? [] : [sql`i.from_us < ${untilUs}::bigint`]),
    // Outages that ended before the span are not read.
    ...(fromUs === undefined
      ? []
      : [
          sql`i.from_us > coalesce((select max(from_us) from status_intervals
            where device_no = d.device_no and status = 'Up' and from_us < ${fromUs}::bigint), -1)`,
        ]),
    ...(before === undefined
      ? []
      : [sql`(i.from_us, d.device_no) < (${before.fromUs}::bigint, ${before.deviceNo}::int)`]),
  ];
}

/** Whether the account has this device. */
export async function hasDevice({ kysely }: Db, accountNo: number, deviceNo: number): Promise<boolean> {
  const row = await kysely
    .selectFrom('devices')
    .select('device_no')
    .where('device_no', '=', deviceNo)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row !== undefined;
}
