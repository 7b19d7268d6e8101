import { type Db, executeCached } from '@vantage/storage';
import { statusSql } from '@vantage/storage/device-status';
import { isUsual, rowCount } from '@vantage/storage/row-count';
import { type RawBuilder, sql } from 'kysely';
import {
  conditionsOf,
  type DeviceListRequest,
  follows,
  isByStatusAlone,
  likePattern,
  orderByDevice,
} from './device-list-request.ts';
import {
  type CheckedRow,
  type EntryRow,
  entryColumns,
  lastResultColumn,
  type RecentDays,
  recentDays,
} from './device-store.ts';

/** A page of a list of devices. */
export interface DevicePage {
  /** One row more than the page has, where another page follows. */
  readonly rows: readonly (EntryRow & CheckedRow)[];
  /** The number of all devices; undefined if counting would read them. */
  readonly total: number | undefined;
}

/** The parts of the statement of a page. */
export interface PageParts {
  /** Common table expressions: nothing, or `with …`. */
  readonly ctes: RawBuilder<unknown>;
  /** The from clause: the devices of the page as d. */
  readonly from: RawBuilder<unknown>;
  readonly order: RawBuilder<unknown>;
  /** Counts all devices of the list. */
  readonly total: RawBuilder<number> | undefined;
}

type ReadRow = EntryRow & CheckedRow & { readonly total: number | null };

/**
 * Joins the devices d to the rows f of a page, each by its number: of some thousand devices, PostgreSQL would read all
 * to find those of the page.
 */
export const devicesOfPage = sql`cross join lateral (select * from devices where device_no = f.device_no offset 0) d`;

/**
 * Reads the devices of a page with everything that a list shows, and their total, in one statement. `kind` names the
 * query plan if its parts depend on `ask` alone; then the text of a popular list is built once.
 */
export async function readListPage(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  partsOf: (ask: DeviceListRequest) => PageParts,
  kind?: string,
): Promise<DevicePage> {
  const days = recentDays(ask.nowUs);
  const page = (asked: DeviceListRequest) => statementOf(asked, partsOf(asked), days);
  const rows =
    kind !== undefined && isUsualPage(ask)
      ? await executeCached(kysely, keyOf(kind, ask, days), valuesOf(ask), (values) =>
          page(withValues(ask, values)),
        )
      : (await page(ask).execute(kysely)).rows;
  const [first] = rows;
  if (first !== undefined) return { rows, total: first.total ?? undefined };
  const { ctes, total } = partsOf(ask);
  if (total === undefined) return { rows, total };
  const counted = await sql<{ total: number }>`${ctes} select (${total}) as total`.execute(kysely);
  return { rows, total: counted.rows[0]?.total };
}

function statementOf(
  { nowUs, withoutResults = false }: DeviceListRequest,
  { ctes, from, order, total }: PageParts,
  days: RecentDays,
): RawBuilder<ReadRow> {
  const shown = statusSql(nowUs, 'few');
  const lastResult = withoutResults ? sql`null::text as last_result` : lastResultColumn(nowUs, days);
  // The columns stand outside, because each is computed for the rows of the page only.
  return sql<ReadRow>`${ctes}
    select ${entryColumns(shown)}, ${lastResult}, ${total === undefined ? sql`null::int` : sql`(${total})`} as total
    from ${from} ${shown.joins} order by ${order}`;
}

/** Do only a status, the order and usual numbers of rows say which page it is? */
function isUsualPage({ filter, limit, offset }: DeviceListRequest): boolean {
  const { statuses: _, ...others } = filter;
  return isByStatusAlone(others) && isUsual(limit + 1) && isUsual(offset);
}

function keyOf(
  kind: string,
  { filter, sort, afterNo, limit, offset, withoutResults = false }: DeviceListRequest,
  days: RecentDays,
): string {
  const { field, descending } = sort;
  const { fromUs, toUs } = days;
  const part = [
    filter.statuses?.join(),
    field,
    descending,
    afterNo === undefined,
    limit,
    offset,
    withoutResults,
  ];
  return `list of devices ${kind} ${part.join(' ')} ${fromUs} ${toUs}`;
}

/** The values that differ between the pages of one key. */
function valuesOf({ accountNo, nowUs, afterNo }: DeviceListRequest): readonly number[] {
  return afterNo === undefined ? [accountNo, nowUs] : [accountNo, nowUs, afterNo];
}

function withValues(ask: DeviceListRequest, values: readonly number[]): DeviceListRequest {
  const [accountNo = ask.accountNo, nowUs = ask.nowUs, afterNo] = values;
  return { ...ask, accountNo, nowUs, afterNo };
}

/**
 * A page of the devices that have a text. A common text fills the page from the first `fewDevices` of
 * the list. For all other texts the index of `device_texts` finds the devices of the page.
 */
export async function listFound(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  search: string,
  fewDevices: number,
): Promise<DevicePage> {
  const read = (from: RawBuilder<unknown>) =>
    readListPage(db, ask, () => ({
      ctes: sql``,
      from,
      order: orderByDevice(ask, 'd'),
      total: undefined,
    }));
  const page = (table: string) => sql`
    order by ${orderByDevice(ask, table)} limit ${rowCount(ask.limit + 1)} offset ${rowCount(ask.offset)}`;
  const first = await read(sql`(select d.* from ${firstWith(ask, fewDevices)} ${page('d')}) d`);
  if (first.rows.length > ask.limit) return first;
  return read(sql`(
    select t.device_no from ${foundByIndex(ask, search)} and ${follows(ask, 't')} ${page('t')}) f ${devicesOfPage}`);
}

/**
 * The rest of a query after `from`: those of the first `most` devices of the list that meet the conditions, except that
 * of the status, as d.
 */
export function firstWith(ask: DeviceListRequest, most: number): RawBuilder<unknown> {
  return sql`(
      select d.* from devices d where d.account_no = ${ask.accountNo}::int and ${follows(ask, 'd')}
      order by ${orderByDevice(ask, 'd')} limit ${rowCount(most)}) d
    where ${conditionsOf(ask)}`;
}

/**
 * The rest of a query after `from`: the devices that have the text and meet the other conditions, except that of the
 * status, as t.
 */
export function foundByIndex(ask: DeviceListRequest, search: string): RawBuilder<unknown> {
  const { search: _, ...others } = ask.filter;
  const meets = isByStatusAlone(others)
    ? sql`true`
    : sql`t.device_no in (select d.device_no from devices d where ${conditionsOf({ ...ask, filter: others })})`;
  return sql`device_texts t
    where device_grams(t.account_no, t.text) @@ device_gram_query(${ask.accountNo}::int, lower(${search}))
      and t.text like ${likePattern(search)} and t.account_no = ${ask.accountNo}::int and ${meets}`;
}
