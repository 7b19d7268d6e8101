import { dayUs } from '@vantage/domain';
import { type Clock, createJobParts, type Logger } from '@vantage/kernel';
import { type Db, releaseLeases, takeLeases } from '@vantage/storage';
import type { DeviceDay } from './device-day.ts';
import { comparableDays, pickDay } from './pick-days.ts';
import { createSumComparer, type SumCounts } from './sum-comparer.ts';
import { dropFindings, nextFaultyDay } from './sum-differences-store.ts';

/** Compares a few sums with their checks all the time. */
export interface SumSampler {
  /** Runs until the signal aborts; one controller at a time does the work. */
  run(signal: AbortSignal): Promise<void>;
  /** One round: at most three days of devices. */
  round(): Promise<void>;
  /** Of this process, since its start. */
  readonly counts: SumCounts;
}

const everyMs = 60_000;
const leaseMs = 120_000;
const lease = 'sum sampler';
/** The sums of these days are read most, and most results come late for them. */
const recentUs = 2 * dayUs;

/**
 * Creates the sampler. Its budget: each minute one device and day of the last two days, one of all days that are kept,
 * and one whose checks were damaged or missing; a statement has 5 s.
 */
export function createSumSampler({
  db: { kysely },
  clock,
  log,
  holder,
  random,
}: {
  readonly db: Db;
  readonly clock: Pick<Clock, 'nowUs' | 'sleep'>;
  readonly log: Logger;
  /** This controller's id. */
  readonly holder: string;
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number;
}): SumSampler {
  const comparer = createSumComparer({ kysely, log, nowUs: () => clock.nowUs() });
  const parts = createJobParts({
    log,
    failed: 'sums cannot be compared with their checks; trying again',
    recovered: 'sums are compared with their checks again',
  });
  let faulty: DeviceDay | undefined;

  const round = async () => {
    const days = await comparableDays(kysely);
    if (days === undefined) return;
    const recent = { ...days, fromUs: Math.max(days.fromUs, days.toUs - recentUs) };
    faulty = await nextFaultyDay(kysely, faulty);
    const picked = [await pickDay(kysely, recent, random), await pickDay(kysely, days, random), faulty];
    for (const day of picked) if (day !== undefined) await comparer.compare(day);
    await dropFindings(kysely, { nowUs: clock.nowUs(), retiredUs: days.fromUs });
  };

  return {
    counts: comparer.counts,
    round,
    async run(signal) {
      while (!signal.aborted) {
        await parts.attempt('sample', async () => {
          const [taken] = await takeLeases(kysely, [lease], holder, leaseMs);
          if (taken !== undefined) await round();
        });
        await clock.sleep(everyMs, signal).catch(() => {});
      }
      await releaseLeases(kysely, holder, lease).catch(() => {});
    },
  };
}
