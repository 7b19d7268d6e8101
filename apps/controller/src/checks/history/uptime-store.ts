import { sql } from 'kysely';
import type { Db } from '../../platform/db/index.ts';

/** A device whose uptime is listed. */
export interface UptimeDevice {
  readonly device_no: number;
  readonly device_id: string;
  readonly created_us: number;
  readonly short_name: string;
  readonly full_name: string | null;
}

/** Which devices of an account are listed; undefined narrows nothing. */
export interface UptimeDevicePage {
  readonly accountNo: number;
  readonly tagNos: readonly number[] | undefined;
  readonly deviceNos: readonly number[] | undefined;
  readonly locationNos?: readonly number[] | undefined;
  /** Devices that were created after this one only. */
  readonly afterNo: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * Devices in the order of creation, one row more than `limit` to know whether there are more, and how many there are in
 * all.
 */
export async function listUptimeDevices(
  { kysely }: Db,
  page: UptimeDevicePage,
): Promise<{ readonly rows: readonly UptimeDevice[]; readonly total: number }> {
  const { accountNo, tagNos, deviceNos, locationNos, afterNo } = page;
  const conditions = [
    sql`d.account_no = ${accountNo}::int`,
    ...(deviceNos === undefined ? [] : [sql`d.device_no = any(${deviceNos}::int[])`]),
    ...(tagNos === undefined
      ? []
      : [sql`d.device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))`]),
    ...(locationNos === undefined
      ? []
      : [
          sql`d.device_no in (select device_no from device_locations where location_no = any(${locationNos}::int[]))`,
        ]),
  ];
  const chosen = sql.join(conditions, sql` and `);
  const following = afterNo === undefined ? sql`true` : sql`d.device_no > ${afterNo}::int`;
  const [{ rows }, count] = await Promise.all([
    sql<UptimeDevice>`select d.device_no, d.device_id, d.created_us, d.short_name, d.full_name from devices d
      where ${chosen} and ${following} order by d.device_no limit ${page.limit + 1} offset ${page.offset}`.execute(
      kysely,
    ),
    sql<{ total: number }>`select count(*)::int as total from devices d where ${chosen}`.execute(kysely),
  ]);
  return { rows, total: count.rows[0]?.total ?? 0 };
}

/** The numbers of the account's devices with these ids, by id. */
export async function findDeviceNos(
  { kysely }: Db,
  accountNo: number,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ device_id: string; device_no: number }>`
    select device_id, device_no from devices
    where account_no = ${accountNo}::int and device_id = any(${deviceIds}::text[])`.execute(kysely);
  return new Map(rows.map(({ device_id, device_no }) => [device_id, device_no]));
}
