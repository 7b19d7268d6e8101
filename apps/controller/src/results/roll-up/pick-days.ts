import { dayUs } from '@vantage/domain';
import { startOfDay, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { DeviceDay } from './device-day.ts';
import { readProgress, readRetired } from './progress.ts';

/** The days that can be compared, by their begins: from inclusive, to exclusive. */
interface ComparableDays {
  readonly fromUs: number;
  readonly toUs: number;
}

/** From the first day that is not retired to the one of the last hour that was rolled up; undefined: there is none. */
export async function comparableDays(kysely: Kysely<Tables>): Promise<ComparableDays | undefined> {
  const [fromUs, { rolledToUs }] = [await readRetired(kysely), await readProgress(kysely)];
  if (fromUs === undefined || rolledToUs <= fromUs) return undefined;
  return { fromUs, toUs: startOfDay(rolledToUs - 1) + dayUs };
}

/**
 * Picks a day of a device at random: each account with devices has the same chance. `random` returns numbers from 0 to
 * below 1. Undefined: no account has a device.
 */
export async function pickDay(
  kysely: Kysely<Tables>,
  { fromUs, toUs }: ComparableDays,
  random: () => number,
): Promise<DeviceDay | undefined> {
  const { rows: accounts } = await sql<{ first: number; last: number }>`
    select d.first, d.last from accounts a
    cross join lateral (select min(device_no) as first, max(device_no) as last from devices d where d.account_no = a.account_no) d
    where d.first is not null order by a.account_no`.execute(kysely);
  const account = accounts[Math.floor(random() * accounts.length)];
  if (account === undefined) return undefined;
  const atLeast = account.first + Math.floor(random() * (account.last - account.first + 1));
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices where account_no = (select account_no from devices where device_no = ${account.first}::int)
      and device_no >= ${atLeast}::int order by device_no limit 1`.execute(kysely);
  const [device] = rows;
  if (device === undefined) return undefined;
  return {
    deviceNo: device.device_no,
    dayUs: fromUs + Math.floor((random() * (toUs - fromUs)) / dayUs) * dayUs,
  };
}
