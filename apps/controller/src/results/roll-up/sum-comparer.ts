import { type Logger, messageOf } from '@vantage/kernel';
import { dbFailure, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { DayFault } from './compare-day.ts';
import type { DeviceDay } from './device-day.ts';
import type { SumDifference } from './differences.ts';
import { examineDay } from './examine-day.ts';

/** Counts of comparisons since the comparer was created. */
export interface SumCounts {
  readonly compared: { hours: number; days: number; packed_days: number };
  /**
   * Days of devices: their sums were computed again; their checks are damaged or missing; an error ended the
   * comparison.
   */
  readonly differing: { repaired: number; damaged: number; missing: number; failed: number };
}

/** Compares the sums of days with their checks, repairs them, and reports each difference. */
export interface SumComparer {
  /** Returns the fault of the day. Rejects only when the database is unreachable or busy. */
  compare(day: DeviceDay): Promise<DayFault | undefined>;
  readonly counts: SumCounts;
}

/** Differences of a day that get a line each. */
const maxLines = 5;

export function createSumComparer({
  kysely,
  log,
  nowUs,
}: {
  readonly kysely: Kysely<Tables>;
  readonly log: Logger;
  readonly nowUs: () => number;
}): SumComparer {
  const counts: SumCounts = {
    compared: { hours: 0, days: 0, packed_days: 0 },
    differing: { repaired: 0, damaged: 0, missing: 0, failed: 0 },
  };
  return {
    counts,
    async compare(day) {
      const examined = await examineDay(kysely, day, nowUs()).catch((error: unknown) => {
        if (dbFailure(error) === 'retry') throw error;
        counts.differing.failed += 1;
        log.warn({ ...named(day), error: messageOf(error) }, 'the sums of a day cannot be compared');
      });
      if (examined === undefined) return undefined;
      const { hours, isPacked, fault, isNew } = examined;
      counts.compared.hours += hours;
      if (hours > 0) counts.compared[isPacked ? 'packed_days' : 'days'] += 1;
      if (fault === undefined) return undefined;
      counts.differing[fault.kind === 'differs' ? 'repaired' : fault.kind] += 1;
      if (isNew) report(log, day, fault);
      return fault;
    },
  };
}

function report(log: Logger, day: DeviceDay, fault: DayFault): void {
  if (fault.kind !== 'differs') {
    log.error(
      { ...named(day), reason: fault.reason },
      'the checks of a day are damaged or missing; its sums are kept',
    );
    return;
  }
  for (const { bucketUs, locationNo, columns } of fault.hourly.slice(0, maxLines))
    log.warn(
      { deviceNo: day.deviceNo, locationNo, hour: isoOf(bucketUs), ...sidesOf(columns) },
      'the sums of an hour differed from its checks; they were computed again',
    );
  for (const { locationNo, columns } of fault.daily.slice(0, maxLines))
    log.warn(
      { ...named(day), locationNo, ...sidesOf(columns) },
      'the sums of a day differed from its hours; they were computed again',
    );
  const more = Math.max(0, fault.hourly.length - maxLines);
  if (more > 0) log.warn({ ...named(day), hours: more }, 'more hours of this day differed');
}

/** Both sides of the columns that differ, each as a text of limited length. */
function sidesOf(columns: SumDifference['columns']) {
  const side = (of: 'stored' | 'computed') =>
    Object.fromEntries(columns.map((one) => [one.column, textOf(one[of])]));
  return { stored: side('stored'), computed: side('computed') };
}

const maxText = 100;

function textOf(value: unknown): unknown {
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).slice(0, maxText) : value;
}

function named({ deviceNo, dayUs }: DeviceDay) {
  return { deviceNo, day: isoOf(dayUs).slice(0, 10) };
}

function isoOf(us: number): string {
  return new Date(us / 1000).toISOString();
}
