import { dayUs } from '@vantage/domain';
import { type Clock, createLog, messageOf } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { DayFault } from './compare-day.ts';
import type { DeviceDay } from './device-day.ts';
import { comparableDays, pickDay } from './pick-days.ts';
import { createSumComparer } from './sum-comparer.ts';

/** The report of one comparison of many sums. */
interface SumReport {
  readonly hours: number;
  /** Days of devices; `packed_days` of these are packed. */
  readonly days: number;
  readonly packed_days: number;
  readonly repaired: number;
  readonly damaged: number;
  readonly failed: number;
  /** The first faults, a line each. */
  readonly faults: readonly string[];
}

const maxFaults = 20;
/** Days between two lines of progress. */
const progressDays = 1_000;

/**
 * Compares the sums of `days` random days of devices with their checks, or of all days, as the sampler does, and
 * repairs them. Ends after `withinMs`. `say` gets the progress.
 */
export async function compareSums(
  kysely: Kysely<Tables>,
  {
    clock,
    days,
    withinMs = Number.POSITIVE_INFINITY,
    random,
    say,
  }: {
    readonly clock: Pick<Clock, 'nowUs' | 'monoMs'>;
    readonly days: number | undefined;
    readonly withinMs: number | undefined;
    readonly random: () => number;
    readonly say: (line: string) => void;
  },
): Promise<SumReport> {
  const untilMs = clock.monoMs() + withinMs;
  const comparer = createSumComparer({
    kysely,
    log: createLog('sums', 'silent'),
    nowUs: () => clock.nowUs(),
  });
  const faults: string[] = [];
  let [busy, seen] = [0, 0];
  for await (const day of days === undefined ? allDays(kysely) : randomDays(kysely, days, random)) {
    if (clock.monoMs() > untilMs) break;
    try {
      const fault = await comparer.compare(day);
      if (fault !== undefined) faults.push(await lineOf(kysely, day, fault));
    } catch (error) {
      busy += 1;
      faults.push(`device ${day.deviceNo}, ${dateOf(day)}: not compared: ${messageOf(error)}`);
    }
    seen += 1;
    if (seen % progressDays === 0) say(`${seen} days of devices compared`);
    faults.splice(maxFaults);
  }
  const { compared, differing } = comparer.counts;
  return {
    hours: compared.hours,
    days: compared.days + compared.packed_days,
    packed_days: compared.packed_days,
    repaired: differing.repaired,
    damaged: differing.damaged + differing.missing,
    failed: differing.failed + busy,
    faults,
  };
}

async function* randomDays(
  kysely: Kysely<Tables>,
  count: number,
  random: () => number,
): AsyncGenerator<DeviceDay> {
  const days = await comparableDays(kysely);
  if (days === undefined) return;
  for (let i = 0; i < count; i += 1) {
    const day = await pickDay(kysely, days, random);
    if (day === undefined) return;
    yield day;
  }
}

/** All days of all devices, device by device. */
async function* allDays(kysely: Kysely<Tables>): AsyncGenerator<DeviceDay> {
  const days = await comparableDays(kysely);
  if (days === undefined) return;
  for (let deviceNo = await nextDevice(kysely, 0); deviceNo !== undefined; ) {
    for (let beginUs = days.fromUs; beginUs < days.toUs; beginUs += dayUs) yield { deviceNo, dayUs: beginUs };
    deviceNo = await nextDevice(kysely, deviceNo);
  }
}

async function nextDevice(kysely: Kysely<Tables>, after: number): Promise<number | undefined> {
  const query = kysely.selectFrom('devices').select('device_no').where('device_no', '>', after);
  return (await query.orderBy('device_no').limit(1).executeTakeFirst())?.device_no;
}

async function lineOf(kysely: Kysely<Tables>, day: DeviceDay, fault: DayFault): Promise<string> {
  const device = await kysely
    .selectFrom('devices')
    .select(['device_id', 'short_name'])
    .where('device_no', '=', day.deviceNo)
    .executeTakeFirst();
  const name = `${device?.short_name} (${device?.device_id}), ${dateOf(day)}`;
  if (fault.kind !== 'differs') return `${name}: ${fault.reason}`;
  const hours = new Set(
    fault.hourly.map(({ bucketUs }) => new Date(bucketUs / 1000).toISOString().slice(11, 16)),
  );
  return hours.size === 0
    ? `${name}: the sums of the day differed from its hours`
    : `${name}: the sums of ${[...hours].join(', ')} UTC differed from their checks`;
}

function dateOf({ dayUs: beginUs }: DeviceDay): string {
  return new Date(beginUs / 1000).toISOString().slice(0, 10);
}
