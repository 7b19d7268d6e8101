import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../db/index.ts';
import { statusSql } from '../../db/status.ts';
import { conditionsOf, type DeviceListAsk, isByStatusAlone } from './list-ask.ts';
import { listByStatus } from './status-list-store.ts';
import { type EntryRow, entryColumns } from './store.ts';

/** A page of a list of devices. */
interface DevicePage {
  /** One row more than the page has, where another page follows. */
  readonly rows: readonly EntryRow[];
  /** How many devices there are in all; undefined where counting means to read them. */
  readonly total: number | undefined;
}

/**
 * A page of an account's devices, one row more than `limit` to know whether there are more, and how many there are in all. The total is
 * undefined for a search, and for a status together with other conditions that many devices meet. Lists by status read up to `fewDevices` one by
 * one; of more devices they read those of the page only.
 */
export async function listDevices(
  db: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
  fewDevices = 1_000,
): Promise<DevicePage> {
  const isByStatus = ask.sort.field === 'Status' || ask.sort.field === 'StatusSince';
  if (isByStatus || ask.filter.status !== undefined) return listByStatus(db, ask, fewDevices);
  const [rows, total] = await Promise.all([readPage(db, ask), countDevices(db, ask)]);
  return { rows, total };
}

async function readPage({ kysely }: Pick<Db, 'kysely'>, ask: DeviceListAsk): Promise<readonly EntryRow[]> {
  const following = ask.afterNo === undefined ? sql`true` : sql`d.device_no > ${ask.afterNo}::int`;
  const order = orderOf(ask);
  // The page first: status is computed for its rows only, not for those before it.
  const shown = statusSql(ask.nowUs);
  const { rows } = await sql<EntryRow>`
    select ${entryColumns(shown)} from (
      select d.* from devices d where ${conditionsOf(ask)} and ${following}
      order by ${order} limit ${ask.limit + 1} offset ${ask.offset}) d ${shown.joins}
    order by ${order}`.execute(kysely);
  return rows;
}

function orderOf({ sort: { field, descending } }: DeviceListAsk): RawBuilder<unknown> {
  const direction = descending ? sql`desc` : sql`asc`;
  return field === 'ShortName'
    ? sql`d.short_name ${direction}, d.device_no ${direction}`
    : sql`d.device_no ${direction}`;
}

async function countDevices({ kysely }: Pick<Db, 'kysely'>, ask: DeviceListAsk): Promise<number | undefined> {
  const { accountNo, filter } = ask;
  if (filter.search !== undefined) return undefined;
  const { locationNo, ...others } = filter;
  const { rows } = await (isByStatusAlone(others)
    ? sql<{ total: number }>`
        select coalesce(sum(devices), 0)::int as total from device_counts
        where account_no = ${accountNo}::int and location_nos @> ${locationNo === undefined ? [] : [locationNo]}::int[]`
    : sql<{ total: number }>`
        select count(*)::int as total from devices d where ${conditionsOf(ask)}`
  ).execute(kysely);
  return rows[0]?.total ?? 0;
}
