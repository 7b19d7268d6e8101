import { dayUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { DeviceDay } from './device-day.ts';

/** Of a day whose sums differed: they were computed again, or its checks are damaged or missing. */
interface SumFinding {
  readonly outcome: 'repaired' | 'damaged' | 'missing';
  readonly reason: string;
  readonly nowUs: number;
}

const keptUs = 30 * dayUs;
const maxKept = 10_000;

/** Records a finding. Returns whether it is new; one about checks that was known is not. */
export async function addFinding(
  trx: Kysely<Tables>,
  { deviceNo, dayUs: beginUs }: DeviceDay,
  { outcome, reason, nowUs }: SumFinding,
): Promise<boolean> {
  const { rows } = await sql`
    insert into sum_differences as known (device_no, day_us, outcome, reason, found_us)
    values (${deviceNo}::int, ${beginUs}::bigint, ${outcome}, ${reason.slice(0, 500)}, ${nowUs}::bigint)
    on conflict (device_no, day_us) do update
      set (outcome, reason, found_us) = (excluded.outcome, excluded.reason, excluded.found_us)
      where excluded.outcome = 'repaired' or known.outcome <> excluded.outcome
    returning 1`.execute(trx);
  return rows.length > 0;
}

/** Ends the finding about the checks of a day, because its sums and checks agree. */
export async function endFinding(
  kysely: Kysely<Tables>,
  { deviceNo, dayUs: beginUs }: DeviceDay,
): Promise<void> {
  await sql`delete from sum_differences
    where device_no = ${deviceNo}::int and day_us = ${beginUs}::bigint and outcome <> 'repaired'`.execute(
    kysely,
  );
}

/** The next day after this one, in a circle, whose checks are damaged or missing; undefined: there is none. */
export async function nextFaultyDay(
  kysely: Kysely<Tables>,
  after: DeviceDay | undefined,
): Promise<DeviceDay | undefined> {
  const { deviceNo, dayUs: beginUs } = after ?? { deviceNo: 0, dayUs: 0 };
  const { rows } = await sql<{ device_no: number; day_us: number }>`
    select device_no, day_us from sum_differences where outcome <> 'repaired'
    order by (device_no, day_us) <= (${deviceNo}::int, ${beginUs}::bigint), device_no, day_us limit 1`.execute(
    kysely,
  );
  return rows.map(({ device_no, day_us }) => ({ deviceNo: device_no, dayUs: day_us }))[0];
}

/** Deletes findings of the last month, those of retired days, and the oldest beyond 10,000. */
export async function dropFindings(
  kysely: Kysely<Tables>,
  { nowUs, retiredUs }: { readonly nowUs: number; readonly retiredUs: number },
): Promise<void> {
  await sql`delete from sum_differences where found_us < ${nowUs - keptUs}::bigint and outcome = 'repaired'
    or day_us < ${retiredUs}::bigint and outcome <> 'repaired'
    or found_us < (select found_us from sum_differences order by found_us desc offset ${maxKept} limit 1)`.execute(
    kysely,
  );
}
