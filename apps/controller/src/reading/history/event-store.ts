import { isOneOf, type Reader } from '@vantage/storage';
import { sql } from 'kysely';
import type { HistoryFilter } from './list-filters.ts';

/** An event with the names that people know. */
export interface EventRow {
  readonly event_id: string;
  readonly device_id: string | null;
  readonly short_name: string | null;
  readonly full_name: string | null;
  readonly at_us: number;
  readonly type: string;
  readonly status: string;
  readonly location: string | null;
  readonly location_id: string | null;
  readonly check_result: string | null;
  readonly check_id: string | null;
  readonly message: string;
  readonly duration_s: number | null;
  readonly late: boolean;
}

/** An event with its position in the order of recording. */
export interface NumberedEvent extends EventRow {
  readonly event_no: number;
}

/** The events of a device, or all of an account. */
export type EventScope = { readonly deviceNo: number } | { readonly accountNo: number };

const columns = sql`e.event_id, coalesce(d.device_id, e.gone_id) as device_id,
  coalesce(d.short_name, e.gone_short_name) as short_name, coalesce(d.full_name, e.gone_full_name) as full_name, e.at_us, e.type, e.status, l.name as location, l.location_id, e.check_result, e.check_id, e.message,
  e.duration_s, e.late`;

/** The position of an event in a list. */
export interface EventPosition {
  readonly at_us: number;
  readonly event_no: number;
}

/** Conditions on the events of an account; undefined narrows nothing. */
export interface EventFilter {
  readonly locationNos: readonly number[] | undefined;
  readonly types: readonly string[] | undefined;
  readonly deviceNos: readonly number[] | undefined;
  /** Events of devices that have one of these tags now, or had one when they were deleted. */
  readonly tagNos: readonly number[] | undefined;
}

/** The events to list. */
export interface EventPage extends HistoryFilter, EventFilter {
  /** Only events before this position. */
  readonly before: EventPosition | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Events, newest first, one row more than `limit` to know whether there are more. */
export async function listEvents(
  { kysely }: Reader,
  scope: EventScope,
  page: EventPage,
): Promise<readonly EventRow[]> {
  const { rows } = await eventsPage(scope, page).execute(kysely);
  return rows;
}

/** The statement behind `listEvents`. */
export function eventsPage(scope: EventScope, page: EventPage) {
  const { fromUs, untilUs, before } = page;
  const conditions = [
    ownedBy(scope),
    ...(fromUs === undefined ? [] : [sql`at_us >= ${fromUs}::bigint`]),
    ...(untilUs === undefined ? [] : [sql`at_us < ${untilUs}::bigint`]),
    ...narrowing(page),
    ...(before === undefined
      ? []
      : [sql`(at_us, event_no) < (${before.at_us}::bigint, ${before.event_no}::bigint)`]),
  ];
  return sql<EventRow>`
    select ${columns}
    from (select * from events where ${sql.join(conditions, sql` and `)}
      order by at_us desc, event_no desc limit ${page.limit + 1} offset ${page.offset}) e
    left join devices d using (device_no) left join locations l on l.location_no = e.location_no
    order by e.at_us desc, e.event_no desc`;
}

/**
 * The position of an event of this device or account; undefined: no event has this id. The device of the last event on
 * a client's page may be deleted meanwhile, so positions are kept for a day.
 */
export async function findEventPosition(
  { kysely }: Reader,
  scope: EventScope,
  eventId: string,
): Promise<EventPosition | undefined> {
  const { rows } = await sql<EventPosition>`
    select at_us, event_no from events where event_id = ${eventId} and ${ownedBy(scope)}
    ${
      'accountNo' in scope
        ? sql`union all
          select at_us, event_no from deleted_events where event_id = ${eventId} and ${ownedBy(scope)}`
        : sql``
    }`.execute(kysely);
  return rows[0];
}

function ownedBy(scope: EventScope) {
  return 'deviceNo' in scope
    ? sql`device_no = ${scope.deviceNo}::int`
    : sql`account_no = ${scope.accountNo}::int`;
}

function narrowing({ locationNos, types, deviceNos, tagNos }: EventFilter) {
  return [
    ...(locationNos === undefined ? [] : [sql`location_no = any(${locationNos}::int[])`]),
    ...(types === undefined ? [] : [sql`type = any(${types}::text[])`]),
    ...(deviceNos === undefined
      ? []
      : [sql`(${isOneOf(sql`device_no`, deviceNos, 'int')} or ${isOneOf(sql`gone_no`, deviceNos, 'int')})`]),
    ...(tagNos === undefined
      ? []
      : [
          sql`(device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))
            or gone_tag_nos && ${tagNos}::int[])`,
        ]),
  ];
}

/** An account's events with numbers above `afterNo` up to `upToNo`, in their order. */
export async function listEventsAfter(
  { kysely }: Reader,
  accountNo: number,
  range: {
    readonly afterNo: number;
    readonly upToNo: number;
    readonly limit: number;
    readonly filter: EventFilter;
  },
): Promise<readonly NumberedEvent[]> {
  const conditions = [
    sql`account_no = ${accountNo}`,
    sql`event_no > ${range.afterNo}`,
    sql`event_no <= ${range.upToNo}`,
    ...narrowing(range.filter),
  ];
  const { rows } = await sql<NumberedEvent>`
    select e.event_no, ${columns}
    from (select * from events where ${sql.join(conditions, sql` and `)}
      order by event_no limit ${range.limit}) e
    left join devices d using (device_no) left join locations l on l.location_no = e.location_no
    order by e.event_no`.execute(kysely);
  return rows;
}

/** The last number that was given to an event, whether or not it is to be seen yet; 0: none. */
export async function readLastEventNo({ kysely }: Reader): Promise<number> {
  const { rows } = await sql<{ last_no: number }>`
    select case when is_called then last_value else 0 end as last_no from events_event_no_seq`.execute(
    kysely,
  );
  return rows[0]?.last_no ?? 0;
}

/** The open transactions that write events, whose rows are not visible yet. */
export async function readWriters({ kysely }: Reader): Promise<Set<string>> {
  const { rows } = await sql<{ transaction: string }>`
    select virtualtransaction as transaction from pg_locks
    where locktype = 'relation' and relation = 'events'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(kysely);
  return new Set(rows.map(({ transaction }) => transaction));
}

/** The accounts that events (of these types) with numbers above `afterNo` up to `upToNo` belong to. */
export async function readAccountsBetween(
  { kysely }: Reader,
  afterNo: number,
  upToNo: number,
  types?: readonly string[],
): Promise<ReadonlySet<number>> {
  const ofTypes = sql<boolean>`type = any(${types ?? []}::text[])`;
  const rows = await kysely
    .selectFrom('events')
    .select('account_no')
    .distinct()
    .where('event_no', '>', afterNo)
    .where('event_no', '<=', upToNo)
    .where(types === undefined ? sql<boolean>`true` : ofTypes)
    .execute();
  return new Set(rows.map(({ account_no }) => account_no));
}
