import { addValue, noValues, type ValueSums } from '@vantage/domain/value-sums';
import { invalid } from '@vantage/rest-kit/problem';
import type { Reader } from '@vantage/storage';
import type { HistoryPeriod } from '../history/period.ts';
import { type OutageSegment, segmentsOf } from '../outages/segments.ts';
import { type MeasuredSpan, readMeasured, type Series } from './value-store.ts';

/** The functions of the roll-ups that values are read with. */
export interface ValueRollUps {
  /** Hours before `rolledToUs` are rolled up, except those in `dirty`. */
  readProgress(
    kysely: Reader['kysely'],
  ): Promise<{ readonly rolledToUs: number; readonly dirty: ReadonlySet<number> }>;
  /** The time before which sums are final; undefined: all can change. */
  readRetired(kysely: Reader['kysely']): Promise<number | undefined>;
  /** Adds the sums of hours or days to those that `sumsOf` returns. */
  addValueSums(
    kysely: Reader['kysely'],
    span: MeasuredSpan & { readonly source: 'hourly' | 'daily' },
    sumsOf: (seriesNo: number, bucketUs: number) => ValueSums,
  ): Promise<void>;
}

/** The checks whose values one answer reads. */
const maxChecks = 50_000;

/** Sums by series, each by the begins of buckets. */
export type BucketSums = ReadonlyMap<number, ReadonlyMap<number, ValueSums>>;

/** The values to read. */
export interface ValuesAsk {
  readonly deviceNo: number;
  readonly series: readonly Series[];
  readonly locationNos: readonly number[] | undefined;
  readonly period: HistoryPeriod;
  /** Sums of hours serve the buckets. */
  readonly ofHours: boolean;
  /** Sums of UTC days serve them too where hours may be deleted. */
  readonly ofDays: boolean;
  /** Sums of UTC days serve everywhere: one bucket has all. */
  readonly isOne: boolean;
  /** The start of the bucket that has a time. */
  readonly beginOf: (us: number) => number;
}

/**
 * The sums of a device's values in buckets: from roll-ups, and from checks where no roll-up exists. Throws a Problem
 * (1004) where too many checks would be read.
 */
export async function readValues(
  db: Pick<Reader, 'kysely'>,
  { rollUps, nowUs }: { readonly rollUps: ValueRollUps; readonly nowUs: number },
  ask: ValuesAsk,
): Promise<BucketSums> {
  const { deviceNo, series, locationNos, beginOf } = ask;
  const seriesNos = series.map(({ seriesNo }) => seriesNo);
  const found = new Map<number, Map<number, ValueSums>>();
  const sumsAt = (seriesNo: number, us: number): ValueSums => {
    const buckets = found.get(seriesNo) ?? new Map<number, ValueSums>();
    found.set(seriesNo, buckets);
    const begin = beginOf(us);
    const sums = buckets.get(begin) ?? noValues();
    buckets.set(begin, sums);
    return sums;
  };
  let checks = 0;
  for (const { source, fromUs, toUs } of await segments(db, rollUps, ask)) {
    const span = { deviceNo, fromUs, toUs, seriesNos, locationNos };
    if (source === 'raw') {
      const read = await readMeasured(db, span, { nowUs, limit: maxChecks - checks + 1 });
      checks += read.length;
      if (checks > maxChecks) throw tooMany();
      for (const { start_us: us, values } of read)
        for (const [at, value] of values.entries())
          if (value !== null) addValue(sumsAt(seriesNos[at] ?? 0, us), value);
    } else {
      await rollUps.addValueSums(db.kysely, { ...span, source }, sumsAt);
    }
  }
  return found;
}

function tooMany() {
  const message = `would read more than ${maxChecks} checks; send a shorter period, or Hour or a wider Bucket`;
  return invalid([{ field: 'Bucket', message }]);
}

/** Hours of retired days may be deleted, so their days serve; no result changes these. */
async function segments(
  db: Pick<Reader, 'kysely'>,
  rollUps: ValueRollUps,
  { period, ofHours, ofDays, isOne }: ValuesAsk,
): Promise<readonly OutageSegment[]> {
  if (!ofHours) return [{ source: 'raw', ...period }];
  const progress = await rollUps.readProgress(db.kysely);
  const retiredUs = ofDays ? ((await rollUps.readRetired(db.kysely)) ?? 0) : 0;
  const hoursFromUs = Math.min(period.toUs, Math.max(period.fromUs, retiredUs));
  const days = { source: 'daily' as const, fromUs: period.fromUs, toUs: hoursFromUs };
  const hours = segmentsOf({ ...period, fromUs: hoursFromUs }, { ...progress, days: isOne });
  return days.fromUs < days.toUs ? [days, ...hours] : hours;
}
