import { printText } from '../../output.ts';
import { connect, take } from '../../remote/connection.ts';
import type { ControllerAccess } from '../../remote/https-fetch.ts';
import { compareStatuses, comparisonText } from './compare.ts';
import type { DeviceStatus } from './old-status.ts';
import { statusReaders } from './read-old.ts';

/** Prints how the other tool's file and the controller differ. True: they agree on all that both have. */
export async function runCompare(
  format: keyof typeof statusReaders,
  file: string,
  access: ControllerAccess,
  asJson: boolean,
): Promise<boolean> {
  const there = statusReaders[format](file);
  const comparison = compareStatuses(there, await readDevices(access));
  printText(asJson ? JSON.stringify(comparison, null, 2) : comparisonText(comparison));
  return comparison.Disagree.length === 0;
}

const pageSize = 100;
const mostPages = 1000;

/** All devices with their status: `GET /devices`, because `/states` has neither the ExternalKey nor the last result. */
async function readDevices(access: ControllerAccess): Promise<readonly DeviceStatus[]> {
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
