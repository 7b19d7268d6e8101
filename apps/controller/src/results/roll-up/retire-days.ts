import { dayUs } from '@vantage/domain';
import { lockSums, maxDaysInRun, oldestPartitionUs, startOfDay, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { firstWaitingHour, readRetired, setRetired } from './progress.ts';

/** Days whose hours wait to be rolled up are kept at most this much longer, in case no hour can be rolled up. */
const maxDelayUs = 2 * dayUs;

/** The facts that decide how many days are retired; starts of UTC days or hours. */
interface RetirementFacts {
  /** Days before this are older than the retention. */
  readonly retainedUs: number;
  /** The oldest day that has a partition; undefined: none has. */
  readonly oldestUs: number | undefined;
  /** The first hour that waits to be rolled up; undefined: none waits. */
  readonly waitsUs: number | undefined;
}

/**
 * The time before which days are retired: those that are older than the retention. One step retires as many days as one
 * run deletes, so that a wrong clock retires no more than it deletes, and none whose sums still lack a result. Pure.
 */
export function retiredTo({ retainedUs, oldestUs, waitsUs }: RetirementFacts): number {
  const keptUs = Math.min(retainedUs, waitsUs === undefined ? retainedUs : startOfDay(waitsUs));
  const steppedUs = (oldestUs ?? retainedUs) + maxDaysInRun * dayUs;
  return Math.min(Math.max(keptUs, retainedUs - maxDelayUs), steppedUs, retainedUs);
}

/**
 * Retires the days that are older than the retention: their sums are final, and their checks may be deleted. Call it
 * before each deletion of checks, which then uses the returned time as the present one. It is `nowUs`, or earlier while
 * an old hour waits to be rolled up.
 */
export function retireDays(
  kysely: Kysely<Tables>,
  { nowUs, retentionDays }: { readonly nowUs: number; readonly retentionDays: number },
): Promise<number> {
  const retainedUs = startOfDay(nowUs - retentionDays * dayUs);
  return kysely.transaction().execute(async (trx) => {
    await lockSums(trx);
    const knownUs = await readRetired(trx);
    const [oldestUs, waitsUs] = [await oldestPartitionUs(trx), await firstWaitingHour(trx)];
    const toUs = retiredTo({ retainedUs, oldestUs, waitsUs });
    if (knownUs === undefined || toUs > knownUs) await setRetired(trx, toUs);
    return toUs < retainedUs ? toUs + retentionDays * dayUs : nowUs;
  });
}
