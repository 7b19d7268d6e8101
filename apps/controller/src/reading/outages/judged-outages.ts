import { hourUs, secondUs } from '@vantage/domain';
import { isOneOf, type Reader } from '@vantage/storage';
import { type RawBuilder, sql } from 'kysely';
import type { EventScope } from '../history/event-store.ts';
import { isErrorOf } from './outage-facts.ts';
import type { JudgedOutage, OutagePage, OutageStart } from './outage-page.ts';

/** Intervals that may begin an outage are read and evaluated in batches of this size. */
const judgedAtOnce = 1_000;

/** The first span of time that is looked through; wider ones follow while there is little in them. */
const firstSpanUs = hourUs;

export function newestFirst(a: OutageStart, b: OutageStart): number {
  return b.from_us - a.from_us || b.device_no - a.device_no;
}

/** The intervals that may begin an outage, newest first. Spans with many of them are read in parts. */
export async function* candidates(
  kysely: Reader['kysely'],
  scope: EventScope,
  page: OutagePage,
): AsyncGenerator<readonly OutageStart[]> {
  let { before } = page;
  const { untilUs, firstErrorUs, nowUs } = page;
  // Results of clocks that are ahead are accepted for minutes.
  const ends = [untilUs, before?.fromUs, firstErrorUs, nowUs + hourUs].filter((us) => us !== undefined);
  const floorUs = firstErrorUs ?? 0;
  let endUs = Math.min(...ends) + 1;
  for (let spanUs = firstSpanUs; endUs > floorUs; ) {
    const beginUs = Math.max(floorUs, endUs - spanUs);
    const { rows } = await outagePlaces(scope, { ...page, before }, { beginUs, endUs }).execute(kysely);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (last !== undefined && rows.length === judgedAtOnce) {
      before = { fromUs: last.from_us, deviceNo: last.device_no };
      spanUs = Math.max(secondUs, 2 * (endUs - last.from_us));
      endUs = last.from_us + 1;
    } else {
      endUs = beginUs;
      spanUs *= 8;
    }
  }
}

/** The intervals within [beginUs, endUs) that may begin an outage, newest first, `judgedAtOnce` at most. */
export function outagePlaces(
  scope: EventScope,
  page: OutagePage,
  { beginUs, endUs }: { readonly beginUs: number; readonly endUs: number },
) {
  const within = sql`i.from_us >= ${beginUs}::bigint and i.from_us < ${endUs}::bigint`;
  return sql<OutageStart>`
    select d.device_no, i.from_us from devices d join status_intervals i using (device_no)
    where ${within} and ${sql.join(conditionsOf(scope, page), sql` and `)}
    order by i.from_us desc, d.device_no desc limit ${judgedAtOnce}`;
}

/**
 * The starts of outages. A Down that follows a Down with only Unknown between belongs to the same outage. Maintenance
 * outranks Down: only the part of an outage outside maintenance counts.
 */
export function judgedOutages(starts: readonly OutageStart[], page: OutagePage) {
  const { nowUs } = page;
  return sql<JudgedOutage>`
    select s.device_no, s.from_us, lower(v.visible) as start_us, u.end_us
    from unnest(${starts.map((start) => start.device_no)}::int[], ${starts.map((start) => start.from_us)}::bigint[])
      as s (device_no, from_us)
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
    where ${sql.join(judgedConditions(page), sql` and `)}`;
}

/** Conditions on an outage whose end and maintenance are known. */
function judgedConditions({ fromUs, untilUs, isOpen, minSeconds, locationNos }: OutagePage) {
  return [
    sql`p.status is distinct from 'Down'`,
    sql`not isempty(v.visible)`,
    ...(fromUs === undefined ? [] : [sql`t.to_us >= ${fromUs}::bigint`]),
    ...(untilUs === undefined ? [] : [sql`lower(v.visible) < ${untilUs}::bigint`]),
    ...(isOpen === undefined ? [] : [isOpen ? sql`u.end_us is null` : sql`u.end_us is not null`]),
    ...(minSeconds === undefined
      ? []
      : [sql`t.to_us / 1000000 - lower(v.visible) / 1000000 >= ${minSeconds}::bigint`]),
    ...(locationNos === undefined
      ? []
      : [
          sql`exists (select from events error where error.location_no = any(${locationNos}::int[])
            and ${isErrorOf(sql`s`, sql`u.end_us`)})`,
        ]),
  ];
}

/** Conditions on the intervals that may begin an outage. */
function conditionsOf(scope: EventScope, page: OutagePage) {
  const { fromUs, untilUs, before, deviceNos, tagNos, methods, isOpen, firstErrorUs } = page;
  return [
    'deviceNo' in scope
      ? sql`d.device_no = ${scope.deviceNo}::int`
      : sql`d.account_no = ${scope.accountNo}::int`,
    sql`i.status = 'Down'`,
    ...(untilUs === undefined ? [] : [sql`i.from_us < ${untilUs}::bigint`]),
    // Outages that ended before the span are not read.
    ...(fromUs === undefined ? [] : [sql`i.from_us > ${lastUp(sql`and from_us < ${fromUs}::bigint`)}`]),
    ...(isOpen === true ? [sql`i.from_us > ${lastUp(sql``)}`] : []),
    ...(before === undefined
      ? []
      : [sql`(i.from_us, d.device_no) < (${before.fromUs}::bigint, ${before.deviceNo}::int)`]),
    ...(deviceNos === undefined ? [] : [isOneOf(sql`d.device_no`, deviceNos, 'int')]),
    ...(tagNos === undefined
      ? []
      : [sql`d.device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))`]),
    ...(methods === undefined ? [] : [isOneOf(sql`d.method`, methods, 'text')]),
    ...(firstErrorUs === undefined ? [] : [sql`i.from_us = ${firstErrorUs}::bigint`]),
  ];
}

/** When the device `d` became Up for the last time, -1 where it never did. */
function lastUp(condition: RawBuilder<unknown>) {
  return sql`coalesce((select max(from_us) from status_intervals
    where device_no = d.device_no and status = 'Up' ${condition}), -1)`;
}
