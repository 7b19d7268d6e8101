import type { StatusFormat } from '@vantage/imports/formats';
import { readStatuses } from '@vantage/imports/status';
import { printText } from '../print-answer.ts';
import { connect, take } from '../remote/api-connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { type ComparedDevice, compareStatuses, comparisonText } from './compare-statuses.ts';

const pageSize = 100;
const maxPages = 1000;

/** Prints the differences between the other tool's statuses and the controller's. Returns true where they agree. */
export async function runCompare(
  format: StatusFormat,
  file: string,
  access: ControllerAccess,
  asJson: boolean,
): Promise<boolean> {
  const there = readStatuses(format, file);
  const comparison = compareStatuses(there, await readDevices(access));
  printText(asJson ? JSON.stringify(comparison, null, 2) : comparisonText(comparison));
  return comparison.Disagree.length === 0;
}

/** All devices with their status. `/states` would have neither the ExternalKey nor the last result. */
async function readDevices(access: ControllerAccess): Promise<readonly ComparedDevice[]> {
  using connection = connect(access);
  const devices: ComparedDevice[] = [];
  let After: string | undefined;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const query = { Limit: pageSize, ...(After === undefined ? {} : { After }) };
    const rows = await take(connection.client.GET('/devices', { params: { query } }));
    devices.push(...rows);
    After = rows.at(-1)?.device_id;
    if (rows.length < pageSize || After === undefined) break;
  }
  return devices;
}
