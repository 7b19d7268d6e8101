import { connect, take } from '../../remote/connection.ts';
import type { ControllerAccess } from '../../remote/https-fetch.ts';
import type { DeviceStatus } from './old-status.ts';

const pageSize = 100;
const mostPages = 1000;

/** All devices with their status: `GET /devices`, because `/states` has neither the ExternalKey nor the last result. */
export async function readDevices(access: ControllerAccess): Promise<readonly DeviceStatus[]> {
  using connection = connect(access);
  const devices: DeviceStatus[] = [];
  let After: string | undefined;
  for (let pages = 0; pages < mostPages; pages += 1) {
    const query = { Limit: pageSize, ...(After === undefined ? {} : { After }) };
    const rows = await take(connection.client.GET('/devices', { params: { query } }));
    devices.push(...rows);
    After = rows.at(-1)?.device_id;
    if (rows.length < pageSize || After === undefined) break;
  }
  return devices;
}
