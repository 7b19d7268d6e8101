import type { DeviceStatus } from '@vantage/domain';
import { isOneOf } from '@vantage/storage';
import { type RawBuilder, sql } from 'kysely';

/** The devices to which a list is limited; every part that is given must hold. */
export interface DeviceFilter {
  /** One of these. */
  readonly statuses?: readonly DeviceStatus[] | undefined;
  /** Sets of tags: the device has at least one of each set. */
  readonly tagNos?: readonly (readonly number[])[] | undefined;
  /** A part of ShortName, FullName or URL, in any letter case. */
  readonly search?: string | undefined;
  /** One of these. */
  readonly methods?: readonly string[] | undefined;
  /** At one of these. */
  readonly locationNos?: readonly number[] | undefined;
  readonly externalKey?: string | undefined;
  readonly source?: string | undefined;
  readonly enabled?: boolean | undefined;
  /** One of these. */
  readonly severities?: readonly string[] | undefined;
  readonly retrying?: boolean | undefined;
  readonly masterNo?: number | undefined;
  readonly nscheduleNo?: number | undefined;
  readonly mscheduleNo?: number | undefined;
  /** One of these. */
  readonly among?: readonly number[] | undefined;
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

/** A page of a list of devices. */
export interface DeviceListRequest {
  readonly accountNo: number;
  readonly filter: DeviceFilter;
  readonly sort: DeviceSort;
  /** Devices that were created after this one only. */
  readonly afterNo?: number | undefined;
  readonly limit: number;
  readonly offset: number;
  readonly nowUs: number;
  /** The texts of the last checks are not read: they are null. */
  readonly withoutResults?: boolean;
}

/** Does only the status decide which devices are in the list? */
export function isByStatusAlone({ tagNos = [], ...filter }: DeviceFilter): boolean {
  const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
  return tagNos.length === 0 && conditions.every(([name]) => name === 'statuses');
}

/** The conditions on `devices` as d, except that of the status. */
export function conditionsOf({ accountNo, filter }: DeviceListRequest): RawBuilder<boolean> {
  const { tagNos = [], search, methods, locationNos, externalKey, source, enabled, among } = filter;
  const { severities, retrying, masterNo, nscheduleNo, mscheduleNo } = filter;
  const conditions = [
    sql`d.account_no = ${accountNo}::int`,
    ...tagNos.map(
      (each) => sql`d.device_no in (select device_no from device_tags where tag_no = any(${each}::int[]))`,
    ),
    ...(search === undefined ? [] : [sql`${searched} like ${likePattern(search)}`]),
    ...(methods === undefined ? [] : [isOneOf(sql`d.method`, methods, 'text')]),
    ...(locationNos === undefined
      ? []
      : [
          sql`d.device_no in (select device_no from device_locations where ${isOneOf(sql`location_no`, locationNos, 'int')})`,
        ]),
    ...(externalKey === undefined ? [] : [sql`d.external_key = ${externalKey}`]),
    ...(source === undefined ? [] : [sql`d.source = ${source}`]),
    ...(among === undefined ? [] : [sql`d.device_no = any(${among}::int[])`]),
    ...(enabled === undefined ? [] : [enabled ? sql`d.enabled` : sql`not d.enabled`]),
    ...(severities === undefined ? [] : [sql`d.severity = any(${severities}::text[])`]),
    ...(retrying === undefined
      ? []
      : [
          sql`${retrying ? sql`` : sql`not`} exists (select from device_state where device_no = d.device_no and retrying)`,
        ]),
    ...(masterNo === undefined ? [] : [sql`d.master_no = ${masterNo}::int`]),
    ...(nscheduleNo === undefined ? [] : [sql`d.nschedule_no = ${nscheduleNo}::int`]),
    ...(mscheduleNo === undefined ? [] : [sql`d.mschedule_no = ${mscheduleNo}::int`]),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Whether one of these numbers is a requested Location. */
export function areAt(
  asked: readonly number[] | undefined,
  locationNos: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return asked === undefined ? sql`true` : sql`${locationNos} && ${asked}::int[]`;
}

/** The `text` of `device_texts`. */
const searched = sql`lower(d.short_name || chr(10) || coalesce(d.full_name, '') || chr(10) || d.url)`;

/** The order of rows that have the columns short_name and device_no, for a list that no status sorts. */
export function orderByDevice({ sort }: DeviceListRequest, table: string): RawBuilder<unknown> {
  const columns = sort.field === 'ShortName' ? ['short_name', 'device_no'] : ['device_no'];
  const direction = sort.descending ? sql`desc` : sql`asc`;
  return sql.join(columns.map((column) => sql`${sql.ref(`${table}.${column}`)} ${direction}`));
}

/** Is the row after the device at which the page begins? */
export function follows({ afterNo }: DeviceListRequest, table: string): RawBuilder<boolean> {
  return afterNo === undefined ? sql`true` : sql`${sql.ref(`${table}.device_no`)} > ${afterNo}::int`;
}

/** A pattern of LIKE in lower case. `%`, `_` and the backslash of the text have no special meaning. */
export function likePattern(search: string): RawBuilder<unknown> {
  return sql`lower(${`%${search.replaceAll(/[\\%_]/g, '\\$&')}%`})`;
}
