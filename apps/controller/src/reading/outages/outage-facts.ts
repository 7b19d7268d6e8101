import { type RawBuilder, sql } from 'kysely';
import type { OutageRow } from './outage-page.ts';
import { confirmedWithinUs, type JudgedOutage } from './outage-page.ts';

/** Masters of masters up to this distance. */
const maxDepth = 8;

/** The outages with what people know of them. */
export function outagesWithFacts(judged: readonly JudgedOutage[], nowUs: number) {
  const column = (name: keyof JudgedOutage) => judged.map((one) => one[name]);
  return sql<OutageRow>`
    select o.*, e.check_result, e.check_id, l.name as location, a.alert_id, coalesce(a.acknowledged, false) as acknowledged,
      f.locations, b.behind, n.note, coalesce(n.excluded, false) as excluded
    from (
      select d.device_no, d.device_id, d.short_name, d.full_name, j.from_us, j.start_us, j.end_us
      from unnest(${column('device_no')}::int[], ${column('from_us')}::bigint[], ${column('start_us')}::bigint[],
        ${column('end_us')}::bigint[]) as j (device_no, from_us, start_us, end_us)
      join devices d using (device_no) offset 0) o
    ${factsOfOutage(nowUs)}`;
}

/** The columns of the page's outages, `o`, beside their times. */
function factsOfOutage(nowUs: number) {
  return sql`
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
    left join lateral (
      select alert_id, acknowledged_us >= o.from_us and (o.end_us is null or opened_us <= o.end_us) as acknowledged from alerts
      where device_no = o.device_no and kind = 'device.down' and (closed_us is null or closed_us >= o.from_us)
        and (o.end_us is null or opened_us <= o.end_us)
      order by alert_no desc limit 1) a on true
    cross join lateral (
      select coalesce(array_agg(distinct named.name order by named.name), '{}') as locations
      from events error join locations named using (location_no)
      where ${isErrorOf(sql`o`, sql`o.end_us`)}) f
    cross join lateral (
      with recursive below as (
        select device_no, 1 as depth from devices where master_no = o.device_no
        union all
        select d.device_no, below.depth + 1 from below join devices d on d.master_no = below.device_no
        where below.depth < ${maxDepth})
      select count(*)::int as behind from (select distinct device_no from below) d
      where (select true from status_intervals i
        where i.device_no = d.device_no and i.status = 'Down' and i.from_us < coalesce(o.end_us, ${nowUs}::bigint)
          and i.from_us >= coalesce((select max(from_us) from status_intervals
            where device_no = d.device_no and from_us <= o.from_us), 0) limit 1)) b
    left join lateral (
      select note, excluded from outage_notes where device_no = o.device_no and from_us >= o.from_us
        and (o.end_us is null or from_us < o.end_us) order by from_us limit 1) n on true`;
}

/**
 * Whether the event `error` is an error of an outage with `device_no` and `from_us` that ends at `endUs`, null while it
 * is open.
 */
export function isErrorOf(outage: RawBuilder<unknown>, endUs: RawBuilder<unknown>) {
  return sql`error.device_no = ${outage}.device_no and error.type in ('Error', 'Partial', 'Down')
    and error.at_us > ${outage}.from_us - 1000000 and (${endUs} is null or error.at_us < ${endUs})`;
}
