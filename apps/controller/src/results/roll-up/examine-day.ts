import { dayUs, hourUs } from '@vantage/domain';
import { lockDevices, lockSums, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { compareDay, type DayComparison, type DayFault } from './compare-day.ts';
import type { DeviceDay } from './device-day.ts';
import { addFinding, endFinding } from './sum-differences-store.ts';
import { insertHours, rollDay } from './write-sums.ts';
import { clearValueSums, rollValueHour, writeValueHour } from './write-value-sums.ts';

/** A comparison after the second look. */
export interface ExaminedDay extends DayComparison {
  /** False: the fault of the checks was known. */
  readonly isNew: boolean;
}

/** Longer waits and statements end the comparison; a later one looks at the day again. */
const limits = sql`select set_config('lock_timeout', '2s', true), set_config('statement_timeout', '5s', true)`;

/**
 * Compares a day of a device, and looks again when its sums differ: this time results of the device, roll-ups, packing
 * and retention wait. Sums that still differ are computed again from the checks. Sums whose checks are damaged or
 * missing stay as they are. Both are recorded.
 */
export async function examineDay(
  kysely: Kysely<Tables>,
  day: DeviceDay,
  nowUs: number,
): Promise<ExaminedDay> {
  const first = await kysely.transaction().execute(async (trx) => {
    await limits.execute(trx);
    return compareDay(trx, day);
  });
  if (first.fault === undefined) {
    if (first.hours > 0) await endFinding(kysely, day);
    return { ...first, isNew: false };
  }
  return kysely.transaction().execute(async (trx) => {
    await limits.execute(trx);
    await lockSums(trx);
    await lockDevices(trx, [day.deviceNo]);
    const again = await compareDay(trx, day);
    if (again.fault === undefined) return { ...again, isNew: false };
    if (again.fault.kind === 'differs') await repair(trx, day, again.fault);
    return { ...again, isNew: await addFinding(trx, day, { ...findingOf(again.fault), nowUs }) };
  });
}

function findingOf(fault: DayFault) {
  if (fault.kind !== 'differs') return { outcome: fault.kind, reason: fault.reason };
  const { hourly, daily } = fault;
  return {
    outcome: 'repaired' as const,
    reason: `${hourly.length} hours and ${daily.length} days of Locations`,
  };
}

/** Writes the hours that differ again from their checks, and the day from its hours. */
async function repair(
  trx: Kysely<Tables>,
  { deviceNo, dayUs: beginUs }: DeviceDay,
  { hourly, checksOf, unpacked }: Extract<DayFault, { kind: 'differs' }>,
): Promise<void> {
  for (const bucketUs of new Set(hourly.map((one) => one.bucketUs))) {
    await sql`delete from rollup_hourly where device_no = ${deviceNo}::int and bucket_us = ${bucketUs}::bigint`.execute(
      trx,
    );
    await insertHours(trx, checksOf(bucketUs));
    await clearValueSums(trx, 'value_hourly', { deviceNo, bucketUs });
    if (unpacked === undefined) await rollValueHour(trx, bucketUs, [deviceNo]);
    else
      await writeValueHour(
        trx,
        { deviceNo, bucketUs },
        unpacked.filter(({ start_us: us }) => us >= bucketUs && us < bucketUs + hourUs),
      );
  }
  await sql`delete from rollup_daily where device_no = ${deviceNo}::int
    and bucket_us >= ${beginUs}::bigint and bucket_us < ${beginUs + dayUs}::bigint`.execute(trx);
  await clearValueSums(trx, 'value_daily', { deviceNo, bucketUs: beginUs });
  await rollDay(trx, beginUs, [deviceNo]);
}
