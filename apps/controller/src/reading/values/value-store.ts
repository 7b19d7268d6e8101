import type { MeasuredValue } from '@vantage/domain';
import { dayUs } from '@vantage/domain';
import { type Reader, startOfDay } from '@vantage/storage';
import { hasPackedDay, mayBePacked, mergeChecks, packedChecks } from '@vantage/storage/packed';
import { sql } from 'kysely';

/** A label of a device with its unit; its values are at this position of `measured`, from 1. */
export interface Series {
  readonly seriesNo: number;
  readonly label: string;
  readonly unit: string;
}

/** The series of a device, in the order in which they first arrived. */
export async function readSeries(
  { kysely }: Pick<Reader, 'kysely'>,
  deviceNo: number,
): Promise<readonly Series[]> {
  const { rows } = await sql<Series>`
    select series_no as "seriesNo", label, unit from value_series where device_no = ${deviceNo}::int order by series_no`.execute(
    kysely,
  );
  return rows;
}

/** The values of these positions with their labels. Pure. */
export function namedValues(
  measured: readonly (number | null)[] | null,
  series: readonly Series[],
): readonly MeasuredValue[] {
  return series.flatMap(({ seriesNo, label, unit }) => {
    const value = measured?.[seriesNo - 1] ?? null;
    return value === null ? [] : [{ Label: label, Value: value, Unit: unit }];
  });
}

/** The labels of the values of these checks of one device; no statement where none has values. */
export async function seriesOf(
  db: Pick<Reader, 'kysely'>,
  checks: readonly { readonly device_no: number; readonly measured: readonly (number | null)[] | null }[],
): Promise<readonly Series[]> {
  const valued = checks.find(({ measured }) => measured !== null);
  return valued === undefined ? [] : readSeries(db, valued.device_no);
}

/** The values of the checks of a span to read; from inclusive, to exclusive. */
export interface MeasuredSpan {
  readonly deviceNo: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly seriesNos: readonly number[];
  /** The Locations that count; undefined: all. */
  readonly locationNos: readonly number[] | undefined;
}

/** A check with the values of the asked series, in their order. */
export interface MeasuredCheck {
  readonly start_us: number;
  readonly agent_no: number;
  readonly values: readonly (number | null)[];
}

/**
 * The checks of a span that have values, by start time, at most `limit`. The days are literals, so the plan reads only
 * their partitions.
 */
export async function readMeasured(
  { kysely }: Pick<Reader, 'kysely'>,
  span: MeasuredSpan,
  { nowUs, limit }: { readonly nowUs: number; readonly limit: number },
): Promise<readonly MeasuredCheck[]> {
  const { deviceNo, fromUs, toUs, seriesNos, locationNos } = span;
  const positions = sql.join(seriesNos.map((no) => sql`measured[${sql.lit(no)}]`));
  const ofLocation = locationNos === undefined ? sql`true` : sql`location_no = any(${locationNos}::int[])`;
  const { rows } = await sql<MeasuredCheck>`
    select start_us, agent_no, array[${positions}]::float8[] as values from checks
    where device_no = ${deviceNo}::int and start_us >= ${fromUs}::bigint and start_us < ${toUs}::bigint
      and start_us >= ${sql.lit(startOfDay(fromUs))} and start_us < ${sql.lit(startOfDay(toUs) + dayUs)} and measured is not null and ${ofLocation} order by start_us, agent_no limit ${limit}`.execute(
    kysely,
  );
  // Asked after the rows were read: a check that is packed meanwhile is not missed.
  if (!mayBePacked(fromUs, nowUs) || !(await hasPackedDay(kysely, span))) return rows;
  const packed: MeasuredCheck[] = [];
  for (let at = fromUs; at < toUs && packed.length < limit; at = startOfDay(at) + dayUs) {
    const untilUs = Math.min(startOfDay(at) + dayUs, toUs);
    for (const check of await packedChecks(kysely, { deviceNo, fromUs: at, toUs: untilUs })) {
      const { measured, location_no: locationNo, start_us, agent_no } = check;
      if (measured === null || !(locationNos?.includes(locationNo) ?? true)) continue;
      packed.push({ start_us, agent_no, values: seriesNos.map((no) => measured[no - 1] ?? null) });
    }
  }
  return mergeChecks(rows, packed).slice(0, limit);
}

/** The days whose checks are searched for the newest value. */
const recentUs = 2 * dayUs;
/** The checks that are searched for the newest value. */
const maxRecent = 20;

/** The newest value of a series. */
export interface NewestValue {
  readonly atUs: number;
  readonly value: number;
}

/** The newest value of each series, by its number, among the newest checks of two days. */
export async function readNewest(
  { kysely }: Pick<Reader, 'kysely'>,
  { deviceNo, seriesNos, locationNos }: Pick<MeasuredSpan, 'deviceNo' | 'seriesNos' | 'locationNos'>,
  nowUs: number,
): Promise<ReadonlyMap<number, NewestValue>> {
  const ofLocation = locationNos === undefined ? sql`true` : sql`location_no = any(${locationNos}::int[])`;
  const { rows } = await sql<{ start_us: number; measured: readonly (number | null)[] }>`
    select start_us, measured from checks
    where device_no = ${deviceNo}::int and start_us >= ${sql.lit(startOfDay(nowUs - recentUs))} and measured is not null and ${ofLocation}
    order by start_us desc, agent_no desc limit ${maxRecent}`.execute(kysely);
  const newest = new Map<number, NewestValue>();
  for (const { start_us: atUs, measured } of rows)
    for (const no of seriesNos) {
      const value = measured[no - 1] ?? null;
      if (value !== null && !newest.has(no)) newest.set(no, { atUs, value });
    }
  return newest;
}
