import { hourUs, isGood } from '@vantage/domain';
import { countOf, type Histogram, mergeHistograms, percentile } from '@vantage/health';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { ParsedResult } from './record.ts';
import { perf } from './rows.ts';

const weeks = 4;
const fewestChecks = 100;
const maxKept = 100_000;

/**
 * Above which latency (milliseconds) a check is slow by its own past: three times the median and the 99th percentile; undefined
 * while the past is too short. Pure.
 */
export function slowLimit(past: Histogram): number | undefined {
  if (countOf(past) < fewestChecks) return undefined;
  const median = percentile(past, 0.5);
  const high = percentile(past, 0.99);
  return median === undefined || high === undefined ? undefined : Math.max(3 * median, high);
}

/** `PerfStat` of a result: Error, Slow by the limit in its Options or by its own past, else Ok. Pure. */
export function perfOf(result: ParsedResult, limitMs: number | undefined): number {
  if (!isGood(result.code)) return perf.error;
  const requestMs = (result.endUs - result.startUs) / 1000;
  return result.slow || (limitMs !== undefined && requestMs > limitMs) ? perf.slow : perf.ok;
}

/** Limits by device for one Location at a time of the week. */
export interface Baselines {
  /** One limit for each result, in order. Reads from the database only the limits that this hour has not read yet. */
  limits(
    db: Kysely<Tables>,
    locationNo: number,
    results: readonly ParsedResult[],
  ): Promise<(number | undefined)[]>;
}

/** Reads the histograms of one Location for the same hour in the `weeks` before each of these hours. */
export type PastHistograms = (
  db: Kysely<Tables>,
  ask: {
    readonly locationNo: number;
    readonly hours: readonly { readonly deviceNo: number; readonly hourUs: number }[];
    readonly weeks: number;
  },
) => Promise<
  readonly { readonly deviceNo: number; readonly hourUs: number; readonly histogram: Histogram }[]
>;

/** Makes the baselines from the same hour of the week in the four weeks before. They are cached by device and hour. */
export function createBaselines(pastHistograms: PastHistograms): Baselines {
  const kept = new Map<string, number | undefined>();
  return {
    async limits(db, locationNo, results) {
      const keyOf = (result: ParsedResult) => `${locationNo}/${result.deviceNo}/${hourOf(result)}`;
      const missing = results.filter((result) => isGood(result.code) && !kept.has(keyOf(result)));
      const fetched = new Map<string, number | undefined>();
      const wanted = new Map(missing.map((result) => [keyOf(result), result]));
      const hours = [...wanted.values()].map((one) => ({ deviceNo: one.deviceNo, hourUs: hourOf(one) }));
      const found = await pastHistograms(db, { locationNo, hours, weeks });
      const pasts = Map.groupBy(found, (one) => `${locationNo}/${one.deviceNo}/${one.hourUs}`);
      for (const key of wanted.keys()) {
        const past = (pasts.get(key) ?? []).map(({ histogram }) => histogram);
        fetched.set(key, slowLimit(mergeHistograms(past)));
      }
      const limits = results.map((result) => fetched.get(keyOf(result)) ?? kept.get(keyOf(result)));
      if (kept.size + fetched.size > maxKept) kept.clear();
      for (const [key, limit] of fetched) kept.set(key, limit);
      return limits;
    },
  };
}

function hourOf({ startUs }: Pick<ParsedResult, 'startUs'>): number {
  return startUs - (startUs % hourUs);
}
