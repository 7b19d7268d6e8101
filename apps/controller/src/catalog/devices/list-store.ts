import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Db, Tables } from '../../db/index.ts';
import { type DeviceStatus, type StatusSql, statusSql } from '../../db/status.ts';
import { type EntryRow, entryColumns } from './store.ts';

/** The devices to which a list is limited; every part that is given must hold. */
export interface DeviceFilter {
  readonly status?: DeviceStatus | undefined;
  /** Sets of tags: the device has at least one of each set. */
  readonly tagNos?: readonly (readonly number[])[] | undefined;
  /** A part of ShortName, FullName or URL, in any letter case. */
  readonly search?: string | undefined;
  readonly method?: string | undefined;
  readonly locationNo?: number | undefined;
  readonly externalKey?: string | undefined;
  readonly enabled?: boolean | undefined;
}

/** The fields by which a list can be sorted. CreatedAt is the order of creation. */
export const sortFields = ['ShortName', 'Status', 'StatusSince', 'CreatedAt'] as const;

/** The order of a list. */
export interface DeviceSort {
  readonly field: (typeof sortFields)[number];
  readonly descending: boolean;
}

/** The order of creation. */
export const byCreation: DeviceSort = { field: 'CreatedAt', descending: false };

/** Which page of which devices. */
export interface DeviceListAsk {
  readonly accountNo: number;
  readonly filter: DeviceFilter;
  readonly sort: DeviceSort;
  /** Devices that were created after this one only. */
  readonly afterNo?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly nowUs: number;
}

/**
 * A page of an account's devices, one row more than `limit` to know whether there are more, and how many there are in all. The total is
 * undefined for a search, because counting means to look at every device.
 */
export async function listDevices(
  { kysely }: Pick<Db, 'kysely'>,
  ask: DeviceListAsk,
): Promise<{ readonly rows: readonly EntryRow[]; readonly total: number | undefined }> {
  const shown = statusSql(ask.nowUs);
  const where = conditionsOf(ask, shown);
  const following = ask.afterNo === undefined ? sql`true` : sql`d.device_no > ${ask.afterNo}::int`;
  const order = orderOf(ask.sort, shown);
  const [page, total] = await Promise.all([
    // The page first: status is computed for its rows only, not for those before it.
    sql<EntryRow>`select ${entryColumns(shown)} from (
      select d.* from devices d where ${where} and ${following}
      order by ${order} limit ${ask.limit + 1} offset ${ask.offset}) d
      order by ${order}`.execute(kysely),
    ask.filter.search === undefined ? countDevices(kysely, where) : undefined,
  ]);
  return { rows: page.rows, total };
}

async function countDevices(db: Kysely<Tables>, where: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql<{
    total: number;
  }>`select count(*)::int as total from devices d where ${where}`.execute(db);
  return rows[0]?.total ?? 0;
}

function conditionsOf({ accountNo, filter }: DeviceListAsk, shown: StatusSql): RawBuilder<unknown> {
  const { status, tagNos = [], search, method, locationNo, externalKey, enabled } = filter;
  const conditions = [
    sql`d.account_no = ${accountNo}::int`,
    ...(status === undefined ? [] : [shown.is(status)]),
    ...tagNos.map(
      (each) => sql`d.device_no in (select device_no from device_tags where tag_no = any(${each}::int[]))`,
    ),
    ...(search === undefined ? [] : [sql`${searched} like ${likePattern(search)}`]),
    ...(method === undefined ? [] : [sql`d.method = ${method}`]),
    ...(locationNo === undefined
      ? []
      : [
          sql`d.device_no in (select device_no from device_locations where location_no = ${locationNo}::int)`,
        ]),
    ...(externalKey === undefined ? [] : [sql`d.external_key = ${externalKey}`]),
    ...(enabled === undefined ? [] : [enabled ? sql`d.enabled` : sql`not d.enabled`]),
  ];
  return sql.join(conditions, sql` and `);
}

/** The text of the index devices_search. */
const searched = sql`lower(d.short_name || chr(10) || coalesce(d.full_name, '') || chr(10) || d.url)`;

/** `%`, `_` and the backslash in what is searched for stand for themselves. */
function likePattern(search: string): RawBuilder<unknown> {
  return sql`lower(${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`})`;
}

function orderOf({ field, descending }: DeviceSort, shown: StatusSql): RawBuilder<unknown> {
  const keys: Readonly<Record<DeviceSort['field'], readonly RawBuilder<unknown>[]>> = {
    CreatedAt: [],
    ShortName: [sql`d.short_name`],
    Status: [shown.status],
    StatusSince: [shown.sinceUs],
  };
  const direction = descending ? sql`desc` : sql`asc`;
  return sql.join([...keys[field], sql`d.device_no`].map((key) => sql`${key} ${direction}`));
}
