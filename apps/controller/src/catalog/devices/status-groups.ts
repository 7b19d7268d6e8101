import { deviceGroups } from '@vantage/storage/device-groups';
import { rowCount } from '@vantage/storage/row-count';
import { type RawBuilder, sql } from 'kysely';
import { devicesOfPage, type PageParts } from './device-list-page.ts';
import {
  areAt,
  conditionsOf,
  type DeviceListRequest,
  follows,
  isByStatusAlone,
  likePattern,
} from './device-list-request.ts';
import { isOrdinary, orderOf, statusIs } from './status-conditions.ts';

/** A device is shown as Down only if that is its stored status too. */
export function groupsOf({ accountNo, nowUs, filter }: DeviceListRequest): RawBuilder<unknown> {
  return deviceGroups(
    accountNo,
    nowUs,
    filter.statuses?.every((status) => status === 'Down') ? 'Down' : undefined,
  );
}

/**
 * The page by `merged`. A list that is sorted by status and has other conditions reads the devices of a status only if
 * those of the statuses before do not fill the page, because few of them may meet the conditions.
 */
export function pageByGroups(ask: DeviceListRequest): RawBuilder<unknown> {
  const { sort, filter, limit, offset } = ask;
  if (sort.field !== 'Status' || filter.statuses !== undefined || isByGroupAlone(ask)) return merged(ask);
  const enough = limit + 1 + offset;
  const names = sort.descending ? listOrder.toReversed() : listOrder;
  const parts = names.map((status, at) => {
    const ofStatus = merged({
      ...ask,
      filter: { ...filter, statuses: [status] },
      limit: enough - 1,
      offset: 0,
    });
    const before = names
      .slice(0, at)
      .map((name) => sql` - (select count(*) from ${sql.ref(`page_${name}`)})`);
    return sql`${sql.ref(`page_${status}`)} as materialized (
      select m.* from (${ofStatus}) m limit ${rowCount(enough)}${sql.join(before, sql``)})`;
  });
  const all = names.map((status) => sql`select * from ${sql.ref(`page_${status}`)}`);
  return sql`select f.* from (with ${sql.join(parts)} ${sql.join(all, sql` union all `)}) f
    order by ${orderOf(ask)} limit ${rowCount(limit + 1)} offset ${rowCount(offset)}`;
}

/** In the order of a list. */
const listOrder = ['Down', 'Maint', 'Unknown', 'Up'] as const;

/** Every group gives as many devices as the page may need, in the list's order. */
export function merged(ask: DeviceListRequest): RawBuilder<unknown> {
  const { sort, limit, offset } = ask;
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const enough = limit + 1 + offset;
  const part = (since: RawBuilder<unknown>, where: RawBuilder<unknown>, order: RawBuilder<unknown>) => sql`
    (select g.status, p.since_us, p.device_no from groups g cross join lateral (
      select ${since} as since_us, s.device_no from device_state s
      where s.account_no = ${ask.accountNo}::int and s.location_nos = g.location_nos and s.status = g.base
        and ${where} and ${follows(ask, 's')} and ${isOrdinary} and ${meets(ask)}
      order by ${order} limit ${rowCount(enough)}) p
    where ${statusIs(ask, sql`g.status`)} and ${isAt(ask, 'g')})`;
  const byNo = sql`s.device_no ${direction}`;
  const sinceUs = sql`case when g.by_base then s.base_since_us else s.since_us end`;
  const parts =
    sort.field === 'StatusSince'
      ? [
          part(sql`g.floor_us`, sql`g.floor_us >= 0 and ${sinceUs} <= g.floor_us`, byNo),
          part(
            sql`s.base_since_us`,
            sql`g.by_base and s.base_since_us > g.floor_us`,
            sql`s.base_since_us ${direction}, ${byNo}`,
          ),
          part(
            sql`s.since_us`,
            // base_since_us is never less than since_us, and the index has it.
            sql`not g.by_base and s.base_since_us > g.floor_us and s.since_us > g.floor_us`,
            sql`s.since_us ${direction}, ${byNo}`,
          ),
        ]
      : [part(sql`0::bigint`, sql`true`, byNo)];
  const exceptions = sql`(select s.status, s.since_us, s.device_no from apart s
    where ${statusIs(ask, sql`s.status`)} and ${isAt(ask, 's')} and ${follows(ask, 's')} and ${meets(ask)})`;
  return sql`select f.* from (${sql.join([...parts, exceptions], sql` union all `)}) f
    order by ${orderOf(ask)} limit ${rowCount(limit + 1)} offset ${rowCount(offset)}`;
}

/** Goes along the index of the names until the page is full. */
export function alongNames(ask: DeviceListRequest): RawBuilder<unknown> {
  const isApart = (of: RawBuilder<unknown>) =>
    sql`d.device_no in (select a.device_no from apart a where ${of})`;
  // `offset 0` keeps the order of reading: the status is looked up by device, in the order of the names. In `case`,
  // PostgreSQL has no idea of how few devices meet the conditions; its idea for a text is wrong, and makes it read all
  // devices.
  return sql`select g.status, 0::bigint as since_us, d.device_no from devices d cross join lateral (
      select g.status from device_state s join groups g on g.location_nos = s.location_nos and g.base = s.status
      where s.device_no = d.device_no offset 0) g
    where d.account_no = ${ask.accountNo}::int and case when ${conditionsOf(ask)} then case when ${isApart(sql`true`)}
      then ${isApart(statusIs(ask, sql`a.status`))} else ${statusIs(ask, sql`g.status`)} end else false end
    order by ${orderOf(ask)} limit ${rowCount(ask.limit + 1)} offset ${rowCount(ask.offset)}`;
}

export function entries(
  ask: DeviceListRequest,
  page: RawBuilder<unknown>,
  total: RawBuilder<number> | undefined,
): PageParts {
  return {
    ctes: sql`with ${groupsOf(ask)}`,
    from: sql`(${page}) f ${devicesOfPage}`,
    order: orderOf(ask),
    total,
  };
}

/** The number of devices with the status; without one, of all devices of the account. */
export function countOfGroups(ask: DeviceListRequest): RawBuilder<number> {
  const isShown = sql`${statusIs(ask, sql`g.status`)} and ${isAt(ask, 'g')}`;
  return sql<number>`select (coalesce((select sum(g.devices) from groups g where ${isShown}), 0)
    - (select count(*) from apart a join groups g on g.location_nos = a.location_nos and g.base = a.base where ${isShown})
    + (select count(*) from apart a where ${statusIs(ask, sql`a.status`)} and ${isAt(ask, 'a')}))::int`;
}

/** Whether the device is checked from the requested Location, by its group. */
export function isAt({ filter: { locationNos } }: DeviceListRequest, table: string): RawBuilder<unknown> {
  return areAt(locationNos, sql.ref(`${table}.location_nos`));
}

/** Do the groups alone decide which devices are in the list? */
export function isByGroupAlone({ filter }: DeviceListRequest): boolean {
  const { locationNos: _, ...others } = filter;
  return isByStatusAlone(others);
}

/**
 * Whether the device s meets the conditions that its group cannot answer. Scalar queries, so they run only for rows
 * that are read.
 */
function meets(ask: DeviceListRequest): RawBuilder<unknown> {
  const { locationNos: _, search, ...filter } = ask.filter;
  const hasText =
    search === undefined
      ? sql`true`
      : sql`(select t.text like ${likePattern(search)} from device_texts t where t.device_no = s.device_no)`;
  return isByStatusAlone(filter)
    ? hasText
    : sql`${hasText} and (select true from devices d where d.device_no = s.device_no and ${conditionsOf({ ...ask, filter })})`;
}
