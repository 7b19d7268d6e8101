import { boundedText } from '@vantage/kernel';
import { type Db, findDeviceCursor } from '../../platform/db/index.ts';
import { readLocationNos, readTagNos, tagQuery } from '../../rest/http/named.ts';
import { readCursor } from '../../rest/http/paging.ts';
import { missing } from '../../rest/http/problem.ts';
import type { Session } from '../../rest/http/session.ts';
import { findDeviceNos, type UptimeDevicePage } from './uptime-store.ts';

/** The query parameters that choose devices of an account. */
export const chosenDevices = {
  Tag: tagQuery('their devices only'),
  Devices: boundedText(32_000, 1).optional().describe('Ids of devices, joined by commas: these only.').meta({
    example:
      '27ffe370b5a1f0c4d86e9a3257b81c6f4e0d92a7c35b18fe,8dddb028ef293a7190ff4d6b4e26af36e7a743c83e60866d',
  }),
} as const;

/**
 * Reads a page of chosen devices. Throws a Problem: 1003 for a tag, device or Location that the account does not have.
 */
export async function readDevicePage(
  db: Db,
  { accountNo }: Session,
  asked: {
    readonly Tag?: string | undefined;
    readonly Devices?: string | undefined;
    /** Names or ids, joined by commas. */
    readonly Locations?: string | undefined;
  } & Parameters<typeof readCursor>[0],
): Promise<UptimeDevicePage> {
  const { limit, offset, cursor } = readCursor(asked, 'device_id');
  const tagNos = asked.Tag === undefined ? undefined : await readTagNos(db, accountNo, asked.Tag);
  const deviceNos =
    asked.Devices === undefined ? undefined : await numbersOf(db, accountNo, asked.Devices.split(','));
  const locationNos =
    asked.Locations === undefined ? undefined : await readLocationNos(db, accountNo, asked.Locations);
  const afterNo = cursor === undefined ? undefined : await findDeviceCursor(db, accountNo, cursor);
  if (cursor !== undefined && afterNo === undefined) throw missing('device');
  return { accountNo, tagNos, deviceNos, locationNos, afterNo, limit, offset };
}

async function numbersOf(db: Db, accountNo: number, ids: readonly string[]): Promise<number[]> {
  const found = await findDeviceNos(db, accountNo, ids);
  return ids.map((id) => {
    const deviceNo = found.get(id);
    if (deviceNo === undefined) throw missing('device');
    return deviceNo;
  });
}
