import type { Db } from '@vantage/storage';
import { rowCount } from '@vantage/storage/row-count';
import { type RawBuilder, sql } from 'kysely';
import { type DevicePage, firstWith, foundByIndex, readListPage } from './device-list-page.ts';
import { byCreation, conditionsOf, type DeviceListRequest, follows } from './device-list-request.ts';
import { isOrdinary, orderOf, statusIs } from './status-conditions.ts';
import {
  alongNames,
  countOfGroups,
  entries,
  groupsOf,
  isAt,
  isByGroupAlone,
  merged,
  pageByGroups,
} from './status-groups.ts';

/**
 * A page of a list that is limited to a status, or sorted by it. Each of the three plans reads at most `fewDevices`
 * devices.
 *
 *   the other conditions              | order           | plan
 *   few devices meet them             | any             | the status of each of these devices
 *   none, or many devices meet them   | ShortName       | few devices have the status: each of them; else along the index of the names
 *   none, or many devices meet them   | all others      | the first devices of every group (`deviceGroups`), merged
 */
export async function listByStatus(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  fewDevices: number,
): Promise<DevicePage> {
  const met = isByGroupAlone(ask) ? undefined : await fewMeeting(db, ask, fewDevices);
  if (met !== undefined) return listFew(db, ask, met, sql`true`);
  const mayBeFew = ask.sort.field === 'ShortName' && !(await areMany(db, ask, fewDevices));
  const ofStatus = mayBeFew ? await fewOfStatus(db, ask, fewDevices) : undefined;
  if (ofStatus !== undefined) return listFew(db, ask, ofStatus, conditionsOf(ask));
  const isByName = ask.sort.field === 'ShortName';
  const partsOf = (asked: DeviceListRequest) =>
    entries(
      asked,
      isByName ? alongNames(asked) : pageByGroups(asked),
      isByGroupAlone(asked) ? countOfGroups(asked) : undefined,
    );
  return readListPage(db, ask, partsOf, isByName ? 'names' : 'groups');
}

/** The devices that meet the other conditions, if they are few. */
async function fewMeeting(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  fewDevices: number,
): Promise<readonly number[] | undefined> {
  const { search } = ask.filter;
  if (search === undefined)
    return few(
      kysely,
      sql`select d.device_no from devices d where ${conditionsOf(ask)} limit ${fewDevices + 1}`,
      fewDevices,
    );
  // The index would first find all devices with a text that a tenth of them has.
  const some = Math.floor(fewDevices / 10);
  const first = firstWith(ask, fewDevices);
  if ((await few(kysely, sql`select d.device_no from ${first} limit ${some + 1}`, some)) === undefined)
    return undefined;
  return few(
    kysely,
    sql`select t.device_no from ${foundByIndex(ask, search)} limit ${fewDevices + 1}`,
    fewDevices,
  );
}

/** Do the counts of the groups alone show that many devices have the status? A third of them may be exceptions. */
async function areMany(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  fewDevices: number,
): Promise<boolean> {
  const { rows } = await sql<{ devices: number }>`
    with ${groupsOf(ask)} select coalesce(sum(g.devices), 0)::int as devices from groups g
    where ${statusIs(ask, sql`g.status`)} and ${isAt(ask, 'g')}`.execute(kysely);
  return (rows[0]?.devices ?? 0) > fewDevices * 1.5;
}

/** The devices that have the status, if they are few. */
function fewOfStatus(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  fewDevices: number,
): Promise<readonly number[] | undefined> {
  const { statuses, locationNos } = ask.filter;
  const all = { ...ask, filter: { statuses, locationNos }, sort: byCreation, offset: 0, limit: fewDevices };
  return few(kysely, sql`with ${groupsOf(all)} ${merged(all)}`, fewDevices);
}

/** The numbers of these devices; undefined for more than `most`. */
async function few(
  kysely: Db['kysely'],
  devices: RawBuilder<unknown>,
  most: number,
): Promise<readonly number[] | undefined> {
  const { rows } = await sql<{ device_no: number }>`${devices}`.execute(kysely);
  return rows.length > most ? undefined : rows.map(({ device_no }) => device_no);
}

/** Since when the device of `device_state` as s has the status of its group g. */
const since = sql`greatest(case when g.by_base then s.base_since_us else s.since_us end, g.floor_us)`;

/** The page of those of these devices that meet `conditions`, on devices d. */
async function listFew(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  deviceNos: readonly number[],
  conditions: RawBuilder<unknown>,
): Promise<DevicePage> {
  const among = sql`${deviceNos}::int[]`;
  // Each by its number: the indexes of the lists have that of a device behind other columns.
  const found = sql`(
    select g.status, ${since} as since_us, s.device_no from unnest(${among}) as a (device_no)
    cross join lateral (select * from device_state where device_no = a.device_no offset 0) s
    join groups g on g.location_nos = s.location_nos and g.base = s.status
    where s.account_no = ${ask.accountNo}::int and ${isOrdinary} and ${statusIs(ask, sql`g.status`)}
    union all select s.status, s.since_us, s.device_no from apart s
    where s.device_no = any(${among}) and ${statusIs(ask, sql`s.status`)})`;
  const listed = sql`${found} f join devices d on d.device_no = f.device_no where ${conditions}`;
  const total =
    ask.filter.search === undefined ? sql<number>`select count(*)::int from ${listed}` : undefined;
  const page = sql`select f.status, f.since_us, f.device_no from ${listed} and ${follows(ask, 'f')}
      order by ${orderOf(ask)} limit ${rowCount(ask.limit + 1)} offset ${rowCount(ask.offset)}`;
  return readListPage(db, ask, () => entries(ask, page, total));
}
