import { type RawBuilder, sql } from 'kysely';
import { deviceGroups } from '../../platform/db/device-groups.ts';
import { type Db, isOneOf } from '../../platform/db/index.ts';
import { rowCount } from '../../platform/db/row-count.ts';
import {
  areAt,
  byCreation,
  conditionsOf,
  type DeviceListAsk,
  follows,
  isByStatusAlone,
  likePattern,
} from './list-ask.ts';
import {
  type DevicePage,
  devicesOfPage,
  firstWith,
  foundByIndex,
  type PageParts,
  readListPage,
} from './list-page.ts';

/**
 * A page of a list that is limited to a status, or sorted by it. Three ways lead to it, and each reads few devices;
 * `fewDevices` says how many that are.
 *
 *   the conditions besides the status | order           | way
 *   few devices meet them             | any             | the status of each of these devices
 *   none, or many devices meet them   | ShortName       | few devices have the status: each of them; else along the index of the names
 *   none, or many devices meet them   | all others      | the first devices of every group (`deviceGroups`), merged
 */
export async function listByStatus(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
  fewDevices: number,
): Promise<DevicePage> {
  const met = isByGroupAlone(ask) ? undefined : await fewMeeting(db, ask, fewDevices);
  if (met !== undefined) return listFew(db, ask, met, sql`true`);
  const mayBeFew = ask.sort.field === 'ShortName' && !(await areMany(db, ask, fewDevices));
  const ofStatus = mayBeFew ? await fewOfStatus(db, ask, fewDevices) : undefined;
  if (ofStatus !== undefined) return listFew(db, ask, ofStatus, conditionsOf(ask));
  const isByName = ask.sort.field === 'ShortName';
  const partsOf = (asked: DeviceListAsk) =>
    entries(
      asked,
      isByName ? alongNames(asked) : pageByGroups(asked),
      isByGroupAlone(asked) ? countOfGroups(asked) : undefined,
    );
  return readListPage(db, ask, partsOf, isByName ? 'names' : 'groups');
}

/** The devices that meet the conditions besides the status, if they are few. */
async function fewMeeting(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
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
  ask: DeviceListAsk,
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
  ask: DeviceListAsk,
  fewDevices: number,
): Promise<readonly number[] | undefined> {
  const { statuses, locationNos } = ask.filter;
  const all = { ...ask, filter: { statuses, locationNos }, sort: byCreation, offset: 0, limit: fewDevices };
  return few(kysely, sql`with ${groupsOf(all)} ${merged(all)}`, fewDevices);
}

/** A device is shown as Down only if that is its stored status too. */
function groupsOf({ accountNo, nowUs, filter }: DeviceListAsk): RawBuilder<unknown> {
  return deviceGroups(
    accountNo,
    nowUs,
    filter.statuses?.every((status) => status === 'Down') ? 'Down' : undefined,
  );
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
/** A hash of the exceptions is made once for a statement. */
const isOrdinary = sql`s.device_no not in (select a.device_no from apart a)`;

/** The page of those of these devices that meet `conditions`, on devices d. */
async function listFew(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
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

/**
 * The page by `merged`. A list that is sorted by status and has other conditions reads the devices of a status only if
 * those of the statuses before do not fill the page, because few of them may meet the conditions.
 */
function pageByGroups(ask: DeviceListAsk): RawBuilder<unknown> {
  const { sort, filter, limit, offset } = ask;
  if (sort.field !== 'Status' || filter.statuses !== undefined || isByGroupAlone(ask)) return merged(ask);
  const enough = limit + 1 + offset;
  const names = sort.descending ? listOrder.toReversed() : listOrder;
  const parts = names.map((status, at) => {
    const own = merged({ ...ask, filter: { ...filter, statuses: [status] }, limit: enough - 1, offset: 0 });
    const before = names
      .slice(0, at)
      .map((name) => sql` - (select count(*) from ${sql.ref(`page_${name}`)})`);
    return sql`${sql.ref(`page_${status}`)} as materialized (
      select m.* from (${own}) m limit ${rowCount(enough)}${sql.join(before, sql``)})`;
  });
  const all = names.map((status) => sql`select * from ${sql.ref(`page_${status}`)}`);
  return sql`select f.* from (with ${sql.join(parts)} ${sql.join(all, sql` union all `)}) f
    order by ${orderOf(ask)} limit ${rowCount(limit + 1)} offset ${rowCount(offset)}`;
}

/** In the order of a list. */
const listOrder = ['Down', 'Maint', 'Unknown', 'Up'] as const;

/** Every group gives as many devices as the page may need, in the list's order. */
function merged(ask: DeviceListAsk): RawBuilder<unknown> {
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
  const own = sql`case when g.by_base then s.base_since_us else s.since_us end`;
  const parts =
    sort.field === 'StatusSince'
      ? [
          part(sql`g.floor_us`, sql`g.floor_us >= 0 and ${own} <= g.floor_us`, byNo),
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
function alongNames(ask: DeviceListAsk): RawBuilder<unknown> {
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

function entries(
  ask: DeviceListAsk,
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

/** How many devices have the status; without one, all of the account. */
function countOfGroups(ask: DeviceListAsk): RawBuilder<number> {
  const isShown = sql`${statusIs(ask, sql`g.status`)} and ${isAt(ask, 'g')}`;
  return sql<number>`select (coalesce((select sum(g.devices) from groups g where ${isShown}), 0)
    - (select count(*) from apart a join groups g on g.location_nos = a.location_nos and g.base = a.base where ${isShown})
    + (select count(*) from apart a where ${statusIs(ask, sql`a.status`)} and ${isAt(ask, 'a')}))::int`;
}

/** Is the device checked from the Location that was asked for? Its group knows. */
function isAt({ filter: { locationNos } }: DeviceListAsk, table: string): RawBuilder<unknown> {
  return areAt(locationNos, sql.ref(`${table}.location_nos`));
}

/** Do the groups alone decide which devices are in the list? */
function isByGroupAlone({ filter }: DeviceListAsk): boolean {
  const { locationNos: _, ...others } = filter;
  return isByStatusAlone(others);
}

function statusIs({ filter: { statuses } }: DeviceListAsk, shown: RawBuilder<unknown>): RawBuilder<unknown> {
  return statuses === undefined ? sql`true` : isOneOf(shown, statuses, 'text');
}

/**
 * Does the device s meet the conditions that its group does not know? Scalar queries, so that they are asked for the
 * rows that are read only.
 */
function meets(ask: DeviceListAsk): RawBuilder<unknown> {
  const { locationNos: _, search, ...filter } = ask.filter;
  const hasText =
    search === undefined
      ? sql`true`
      : sql`(select t.text like ${likePattern(search)} from device_texts t where t.device_no = s.device_no)`;
  return isByStatusAlone(filter)
    ? hasText
    : sql`${hasText} and (select true from devices d where d.device_no = s.device_no and ${conditionsOf({ ...ask, filter })})`;
}

/** The order of the rows f, or of their devices d. */
function orderOf({ sort }: DeviceListAsk): RawBuilder<unknown> {
  const keys = {
    CreatedAt: [],
    ShortName: [sql`d.short_name`],
    Status: [sql`f.status`],
    StatusSince: [sql`f.since_us`],
  };
  const direction = sort.descending ? sql`desc` : sql`asc`;
  const no = sort.field === 'ShortName' ? sql`d.device_no` : sql`f.device_no`;
  return sql.join([...keys[sort.field], no].map((key) => sql`${key} ${direction}`));
}
