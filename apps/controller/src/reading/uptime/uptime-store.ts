import { boundedText } from '@vantage/kernel';
import { commaList } from '@vantage/rest-kit/members';
import { readLocationNos, readTagNos, tagQuery } from '@vantage/rest-kit/named';
import { readCursor } from '@vantage/rest-kit/paging';
import { invalid, missing } from '@vantage/rest-kit/problem';
import type { Session } from '@vantage/rest-kit/session';
import type { Reader } from '@vantage/storage';
import { sql } from 'kysely';
import { findDeviceCursor } from '../../catalog/devices/device-cursor.ts';

/** A device whose uptime is listed. */
export interface UptimeDevice {
  readonly device_no: number;
  readonly device_id: string;
  readonly created_us: number;
  readonly short_name: string;
  readonly full_name: string | null;
}

/** The devices of an account to list; undefined narrows nothing. */
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
  { kysely }: Reader,
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
async function findDeviceNos(
  { kysely }: Reader,
  accountNo: number,
  deviceIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ device_id: string; device_no: number }>`
    select device_id, device_no from devices
    where account_no = ${accountNo}::int and device_id = any(${deviceIds}::text[])`.execute(kysely);
  return new Map(rows.map(({ device_id, device_no }) => [device_id, device_no]));
}

const deviceIds = (description: string) =>
  boundedText(32_000, 1)
    .optional()
    .meta({
      description,
      param: commaList,
      override: { type: 'array', items: { type: 'string' } },
      example: ['27ffe370b5a1f0c4d86e9a3257b81c6f4e0d92a7c35b18fe'],
    });

/** The query parameters that choose devices of an account. */
export const chosenDevices = {
  Tag: tagQuery('their devices only'),
  Device: deviceIds('Ids of devices: these only.'),
  Devices: deviceIds('An older name of Device.').meta({ deprecated: true }),
} as const;

/**
 * Reads a page of chosen devices. Throws a Problem: 1003 for a tag, device or Location that the account does not have.
 */
export async function readDevicePage(
  db: Reader,
  { accountNo }: Session,
  asked: {
    readonly Tag?: string | undefined;
    readonly Device?: string | undefined;
    /** An older name of Device. */
    readonly Devices?: string | undefined;
    /** Names or ids, joined by commas. */
    readonly Location?: string | undefined;
    /** An older name of Location. */
    readonly Locations?: string | undefined;
  } & Parameters<typeof readCursor>[0],
): Promise<UptimeDevicePage> {
  const { limit, offset, cursor } = readCursor(asked, 'device_id');
  const tagNos = asked.Tag === undefined ? undefined : await readTagNos(db, accountNo, asked.Tag);
  const devices = oneName(asked, 'Device', 'Devices');
  const deviceNos = devices === undefined ? undefined : await numbersOf(db, accountNo, devices.split(','));
  const locations = oneName(asked, 'Location', 'Locations');
  const locationNos = locations === undefined ? undefined : await readLocationNos(db, accountNo, locations);
  const afterNo = cursor === undefined ? undefined : await findDeviceCursor(db, accountNo, cursor);
  if (cursor !== undefined && afterNo === undefined) throw missing('device');
  return { accountNo, tagNos, deviceNos, locationNos, afterNo, limit, offset };
}

/** The parameter by its name or its older one. Throws a Problem (1004) where both were sent. */
function oneName<Name extends string, Older extends string>(
  asked: { readonly [key in Name | Older]?: string | undefined },
  name: Name,
  older: Older,
): string | undefined {
  if (asked[name] !== undefined && asked[older] !== undefined)
    throw invalid([{ field: older, message: `is an older name of ${name}; send ${name} alone` }]);
  return asked[name] ?? asked[older];
}

async function numbersOf(db: Reader, accountNo: number, ids: readonly string[]): Promise<number[]> {
  const found = await findDeviceNos(db, accountNo, ids);
  return ids.map((id) => {
    const deviceNo = found.get(id);
    if (deviceNo === undefined) throw missing('device');
    return deviceNo;
  });
}
