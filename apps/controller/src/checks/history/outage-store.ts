import { hourUs, secondUs } from '@vantage/domain';
import { type RawBuilder, sql } from 'kysely';
import { type Db, isOneOf } from '../../platform/db/index.ts';
import type { EventScope } from './event-store.ts';

/** An outage as users see it; times are microseconds since 1970. */
export interface OutageRow {
  readonly device_no: number;
  readonly device_id: string;
  readonly short_name: string;
  readonly full_name: string | null;
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
  /** Its latest alert. */
  readonly alert_id: string | null;
  /** Names of the Locations of its errors, sorted. */
  readonly locations: readonly string[];
  /** Devices that are reached through the device and were Down with it. */
  readonly behind: number;
  readonly note: string | null;
  readonly excluded: boolean;
}

/** The filters of a list of outages. */
interface OutageFilter {
  /** Outages of devices that have one of these tags now. */
  readonly deviceNos?: readonly number[] | undefined;
  readonly tagNos?: readonly number[] | undefined;
  /** Outages with an error from one of these Locations. */
  readonly locationNos?: readonly number[] | undefined;
  readonly methods?: readonly string[] | undefined;
  /** true: outages that have not ended; false: the others. */
  readonly isOpen?: boolean | undefined;
  /** Outages that lasted at least this long, maintenance at their begin left out. */
  readonly minSeconds?: number | undefined;
  /** The outage whose first error was then. */
  readonly firstErrorUs?: number | undefined;
}

/** Which outages are listed: those that share time with [fromUs, untilUs). */
export interface OutagePage extends OutageFilter {
  readonly fromUs: number | undefined;
  readonly untilUs: number | undefined;
  /** Outages that began before this one only. */
  readonly before: { readonly fromUs: number; readonly deviceNo: number } | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly nowUs: number;
}

/** Intervals that may begin an outage are read and judged so many at a time. */
const judgedAtOnce = 1_000;
/** A list looks through at most so many, whatever its filters leave out. */
export const maxJudged = 50_000;
/** Outages whose facts one statement reads. */
const factsAtOnce = 200;
/** The first span of time that is looked through; wider ones follow while there is little in them. */
const firstSpanUs = hourUs;

/** A list of outages. */
interface FoundOutages {
  readonly rows: readonly OutageRow[];
  /** false: its filters left out so much that the list ends before all was looked through. */
  readonly isComplete: boolean;
}

/** Outages, those with the newest first error first, one row more than `limit` to know whether there are more. */
export async function listOutages(
  { kysely }: Db,
  scope: EventScope,
  page: OutagePage,
): Promise<FoundOutages> {
  const wanted = page.offset + page.limit + 1;
  const judged: JudgedOutage[] = [];
  let looked = 0;
  for await (const places of candidates(kysely, scope, page)) {
    looked += places.length;
    const { rows } = await judgedOutages(places, page).execute(kysely);
    judged.push(...rows.sort(newestFirst));
    if (judged.length >= wanted || looked >= maxJudged) break;
  }
  const rows: OutageRow[] = [];
  for (let at = page.offset; at < Math.min(wanted, judged.length); at += factsAtOnce) {
    const some = judged.slice(at, Math.min(at + factsAtOnce, wanted));
    rows.push(...(await outagesWithFacts(some, page.nowUs).execute(kysely)).rows.toSorted(newestFirst));
  }
  return { rows, isComplete: judged.length >= wanted || looked < maxJudged };
}

/** An interval that may begin an outage. */
interface OutagePlace {
  readonly device_no: number;
  readonly from_us: number;
}

interface JudgedOutage extends OutagePlace {
  readonly start_us: number;
  readonly end_us: number | null;
}

function newestFirst(one: OutagePlace, other: OutagePlace): number {
  return other.from_us - one.from_us || other.device_no - one.device_no;
}

/** The intervals that may begin an outage, newest first. Spans with many of them are read in parts. */
async function* candidates(
  kysely: Db['kysely'],
  scope: EventScope,
  page: OutagePage,
): AsyncGenerator<readonly OutagePlace[]> {
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

/** A failure is confirmed within this time: ten retries, each with the longest RetryDelay and Timeout. */
const confirmedWithinUs = 10 * (300 + 120) * secondUs;

/** Masters of masters up to this distance. */
const mostDepth = 8;

/** The intervals within [beginUs, endUs) that may begin an outage, newest first, `judgedAtOnce` at most. */
export function outagePlaces(
  scope: EventScope,
  page: OutagePage,
  { beginUs, endUs }: { readonly beginUs: number; readonly endUs: number },
) {
  const within = sql`i.from_us >= ${beginUs}::bigint and i.from_us < ${endUs}::bigint`;
  return sql<OutagePlace>`
    select d.device_no, i.from_us from devices d join status_intervals i using (device_no)
    where ${within} and ${sql.join(conditionsOf(scope, page), sql` and `)}
    order by i.from_us desc, d.device_no desc limit ${judgedAtOnce}`;
}

/**
 * The places at which an outage begins. A Down that follows a Down with only Unknown between belongs to the same
 * outage. Maintenance goes before Down: an outage shows what lies outside of it, and one that lies wholly inside is
 * none.
 */
export function judgedOutages(places: readonly OutagePlace[], page: OutagePage) {
  const { nowUs } = page;
  return sql<JudgedOutage>`
    select s.device_no, s.from_us, lower(v.visible) as start_us, u.end_us
    from unnest(${places.map((one) => one.device_no)}::int[], ${places.map((one) => one.from_us)}::bigint[])
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
        where below.depth < ${mostDepth})
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
function isErrorOf(outage: RawBuilder<unknown>, endUs: RawBuilder<unknown>) {
  return sql`error.device_no = ${outage}.device_no and error.type in ('Error', 'Partial', 'Down')
    and error.at_us > ${outage}.from_us - 1000000 and (${endUs} is null or error.at_us < ${endUs})`;
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
