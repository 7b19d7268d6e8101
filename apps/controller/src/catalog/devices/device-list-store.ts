import type { Db } from '@vantage/storage';
import { rowCount } from '@vantage/storage/row-count';
import { type RawBuilder, sql } from 'kysely';
import { type DevicePage, listFound, readListPage } from './device-list-page.ts';
import {
  areAt,
  conditionsOf,
  type DeviceListRequest,
  follows,
  isByStatusAlone,
  orderByDevice,
} from './device-list-request.ts';
import { listByStatus } from './status-list-store.ts';

/**
 * A page of an account's devices, one row more than `limit` to know whether there are more, and how many there are in
 * all. The total is undefined for a search, and for a status together with other conditions that many devices meet.
 * Lists by status and searches read up to `fewDevices` one by one; of more devices they read those of the page only.
 */
export async function listDevices(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListRequest,
  fewDevices = 1_000,
): Promise<DevicePage> {
  const isByStatus = ask.sort.field === 'Status' || ask.sort.field === 'StatusSince';
  if (isByStatus || ask.filter.statuses !== undefined) return listByStatus(db, ask, fewDevices);
  if (ask.filter.search !== undefined) return listFound(db, ask, ask.filter.search, fewDevices);
  const partsOf = (asked: DeviceListRequest) => ({
    ctes: sql``,
    from: pageOf(asked),
    order: orderByDevice(asked, 'd'),
    total: countOf(asked),
  });
  return readListPage(db, ask, partsOf, 'all');
}

function pageOf(ask: DeviceListRequest): RawBuilder<unknown> {
  return sql`(
    select d.* from devices d where ${conditionsOf(ask)} and ${follows(ask, 'd')}
    order by ${orderByDevice(ask, 'd')} limit ${rowCount(ask.limit + 1)} offset ${rowCount(ask.offset)}) d`;
}

function countOf(ask: DeviceListRequest): RawBuilder<number> {
  const { accountNo, filter } = ask;
  const { locationNos, ...others } = filter;
  return isByStatusAlone(others)
    ? sql<number>`
        select coalesce(sum(devices), 0)::int from device_counts
        where account_no = ${accountNo}::int and ${areAt(locationNos, sql`location_nos`)}`
    : sql<number>`select count(*)::int from devices d where ${conditionsOf(ask)}`;
}
