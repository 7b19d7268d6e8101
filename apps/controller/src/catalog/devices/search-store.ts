import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';
import { rowCount } from '../../platform/db/row-count.ts';
import {
  conditionsOf,
  type DeviceListAsk,
  follows,
  isByStatusAlone,
  likePattern,
  orderByDevice,
} from './list-ask.ts';
import { type DevicePage, devicesOfPage, readListPage } from './list-page.ts';

/**
 * A page of the devices that have a text. A text that many devices have fills the page with some of the first
 * `fewDevices` of the list. For all other texts the index of `device_texts` gives the devices, and the page is made of
 * these.
 */
export async function listFound(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
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
export function firstWith(ask: DeviceListAsk, most: number): RawBuilder<unknown> {
  return sql`(
      select d.* from devices d where d.account_no = ${ask.accountNo}::int and ${follows(ask, 'd')}
      order by ${orderByDevice(ask, 'd')} limit ${rowCount(most)}) d
    where ${conditionsOf(ask)}`;
}

/**
 * The rest of a query after `from`: the devices that have the text and meet the other conditions, except that of the
 * status, as t.
 */
export function foundByIndex(ask: DeviceListAsk, search: string): RawBuilder<unknown> {
  const { search: _, ...others } = ask.filter;
  const meets = isByStatusAlone(others)
    ? sql`true`
    : sql`t.device_no in (select d.device_no from devices d where ${conditionsOf({ ...ask, filter: others })})`;
  return sql`device_texts t
    where device_grams(t.account_no, t.text) @@ device_gram_query(${ask.accountNo}::int, lower(${search}))
      and t.text like ${likePattern(search)} and t.account_no = ${ask.accountNo}::int and ${meets}`;
}
