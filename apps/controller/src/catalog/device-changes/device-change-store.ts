import type { DeviceStatus } from '@vantage/domain';
import { isId } from '@vantage/kernel';
import { isOneOf, type Tables } from '@vantage/storage';
import { statusSql } from '@vantage/storage/device-status';
import { type Kysely, sql } from 'kysely';
import { byCreation, conditionsOf, type DeviceFilter } from '../devices/device-list-request.ts';

/** The devices of a change. */
interface Meant {
  readonly accountNo: number;
  readonly filter: DeviceFilter;
  readonly nowUs: number;
  /** Masters come after the devices behind them, so that all of them can be deleted in this order. */
  readonly mastersLast: boolean;
}

/** The numbers of the devices that are meant, in the order in which they are changed. */
export async function meantDevices(db: Kysely<Tables>, meant: Meant): Promise<readonly number[]> {
  const { accountNo, nowUs, mastersLast } = meant;
  const { statuses, ...filter } = meant.filter;
  const shown = statusSql(nowUs);
  const ask = { accountNo, filter, nowUs, limit: 0, offset: 0, sort: byCreation };
  const { rows } = await sql<{ device_no: number; master_no: number | null }>`
    select d.device_no, d.master_no from devices d ${statuses === undefined ? sql`` : shown.joins}
    where ${conditionsOf(ask)}
      ${statuses === undefined ? sql`` : sql`and ${isOneOf(shown.status, statuses, 'text')}`}
    order by d.device_no`.execute(db);
  return mastersLast ? dependentsFirst(rows) : rows.map(({ device_no }) => device_no);
}

/** The devices in an order in which each comes before its master, where that is among them. */
function dependentsFirst(
  rows: readonly { readonly device_no: number; readonly master_no: number | null }[],
): readonly number[] {
  const behind = new Map(rows.map(({ device_no }) => [device_no, 0]));
  for (const { master_no } of rows)
    if (master_no !== null && behind.has(master_no)) behind.set(master_no, (behind.get(master_no) ?? 0) + 1);
  const masterOf = new Map(rows.map(({ device_no, master_no }) => [device_no, master_no]));
  const order = rows.filter(({ device_no }) => behind.get(device_no) === 0).map(({ device_no }) => device_no);
  for (const device_no of order) {
    const master = masterOf.get(device_no) ?? null;
    const left = master === null ? undefined : behind.get(master);
    if (master === null || left === undefined) continue;
    behind.set(master, left - 1);
    if (left === 1) order.push(master);
  }
  return order;
}

/** The numbers of those of these ids that are devices of the account. */
export async function deviceNosOf(
  db: Kysely<Tables>,
  accountNo: number,
  deviceIds: readonly string[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices
    where account_no = ${accountNo}::int and device_id = any(${deviceIds.filter(isId)}::text[])`.execute(db);
  return rows.map(({ device_no }) => device_no);
}

/** The Locations that check these devices. */
export async function locationsOf(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ location_no: number }>`
    select distinct location_no from device_locations where device_no = any(${deviceNos}::int[])`.execute(db);
  return rows.map(({ location_no }) => location_no);
}

/** The shown status of these devices. */
export async function statusesOf(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<ReadonlyMap<number, DeviceStatus>> {
  const shown = statusSql(nowUs);
  const { rows } = await sql<{ device_no: number; status: DeviceStatus }>`
    select d.device_no, ${shown.status} as status from devices d ${shown.joins}
    where d.device_no = any(${deviceNos}::int[])`.execute(db);
  return new Map(rows.map(({ device_no, status }) => [device_no, status]));
}

/**
 * The devices among these that cannot be deleted, because a device outside the list depends on them or on their
 * dependents.
 */
export async function keptMasters(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ device_no: number }>`
    with recursive kept as (
      select d.master_no as device_no from devices d
      where d.master_no = any(${deviceNos}::int[])
        and not exists (select from unnest(${deviceNos}::int[]) as g (device_no) where g.device_no = d.device_no)
      union select d.master_no from devices d join kept k on k.device_no = d.device_no where d.master_no is not null)
    select device_no from kept where device_no = any(${deviceNos}::int[])`.execute(db);
  return new Set(rows.map(({ device_no }) => device_no));
}

/** The devices among these that are in maintenance now. */
export async function countInMaintenance(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct device_no)::int as count from maintenance_windows
    where device_no = any(${deviceNos}::int[]) and from_us <= ${nowUs}::bigint and to_us > ${nowUs}::bigint`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** The columns of these devices from which their host follows. */
export async function readTargets(
  db: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<readonly TargetRow[]> {
  return db
    .selectFrom('devices')
    .select(['device_no', 'device_id', 'method', 'url', 'options', 'sealed'])
    .where('device_no', 'in', deviceNos)
    .$castTo<TargetRow>()
    .execute();
}

interface TargetRow {
  readonly device_no: number;
  readonly device_id: string;
  readonly method: string;
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly sealed: Uint8Array;
}

/** The ids of these devices. */
export async function idsOf(db: Kysely<Tables>, deviceNos: readonly number[]): Promise<readonly string[]> {
  if (deviceNos.length === 0) return [];
  const rows = await db
    .selectFrom('devices')
    .select('device_id')
    .where('device_no', 'in', deviceNos)
    .orderBy('device_no')
    .execute();
  return rows.map(({ device_id }) => device_id);
}
