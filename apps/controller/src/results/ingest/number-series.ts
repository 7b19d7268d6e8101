import type { MeasuredValue } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { CheckRow } from './check-row.ts';
import { createKnownSeries, maxSeriesBytes, type SeriesOfDevice, seriesKey } from './known-series.ts';

/** The series of a device in all its time. Values of further ones are dropped. */
export const maxSeries = 1_000;

/** A result as far as its values are concerned. */
interface ValuedResult {
  readonly deviceNo: number;
  readonly values: readonly MeasuredValue[] | undefined;
}

/** The column `measured` of each result, in their order; null: it has no values. */
type NumberSeries = (
  trx: Kysely<Tables>,
  results: readonly ValuedResult[],
) => Promise<readonly CheckRow['measured'][]>;

/**
 * Creates the function that gives labels the numbers of their series. New labels get a row in `value_series` under the
 * devices' locks. A new connection (`opened` counts them) may lead to a server that took over and lacks the last
 * commits, so all series are read again. Results without values cost no statement.
 */
export function createSeriesNumbering(opened: () => number): NumberSeries {
  let known = createKnownSeries(maxSeriesBytes);
  let openedBefore = opened();
  return async (trx, results) => {
    const valued = results.filter(({ values }) => values !== undefined);
    if (valued.length === 0) return [];
    if (opened() !== openedBefore) known = createKnownSeries(maxSeriesBytes);
    openedBefore = opened();
    const series = new Map<number, SeriesOfDevice>();
    const unread = new Set<number>();
    for (const { deviceNo, values = [] } of valued) {
      const found = known.get(deviceNo);
      if (found !== undefined && values.every(({ Label, Unit }) => found.has(seriesKey(Label, Unit))))
        series.set(deviceNo, found);
      else unread.add(deviceNo);
    }
    if (unread.size > 0) {
      const stored = await storedSeries(trx, [...unread]);
      for (const [deviceNo, found] of stored) known.set(deviceNo, found);
      const unknown = valued.filter(({ deviceNo }) => unread.has(deviceNo));
      // New numbers are not kept in memory, because the transaction may fail.
      for (const [deviceNo, all] of await withNew(trx, unknown, stored)) series.set(deviceNo, all);
    }
    return results.map(({ deviceNo, values }) => positions(values, series.get(deviceNo)));
  };
}

/** The values at the positions of their series. */
function positions(
  values: readonly MeasuredValue[] | undefined,
  series: SeriesOfDevice | undefined,
): CheckRow['measured'] {
  if (values === undefined || series === undefined) return null;
  const measured: (number | null)[] = [];
  for (const { Label, Unit, Value } of values) {
    const seriesNo = series.get(seriesKey(Label, Unit));
    if (seriesNo === undefined) continue;
    while (measured.length < seriesNo) measured.push(null);
    measured[seriesNo - 1] = Value;
  }
  return measured.length === 0 ? null : measured;
}

async function storedSeries(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<ReadonlyMap<number, SeriesOfDevice>> {
  const rows = await trx
    .selectFrom('value_series')
    .select(['device_no', 'series_no', 'label', 'unit'])
    .where('device_no', 'in', deviceNos)
    .execute();
  const found = new Map<number, Map<string, number>>();
  for (const { device_no, series_no, label, unit } of rows) {
    const series = found.get(device_no) ?? new Map<string, number>();
    found.set(device_no, series.set(seriesKey(label, unit), series_no));
  }
  return found;
}

/** The stored series with those that the results add, which are inserted. */
async function withNew(
  trx: Kysely<Tables>,
  results: readonly ValuedResult[],
  stored: ReadonlyMap<number, SeriesOfDevice>,
): Promise<ReadonlyMap<number, SeriesOfDevice>> {
  const all = new Map([...stored].map(([deviceNo, series]) => [deviceNo, new Map(series)]));
  const fresh: { deviceNo: number; seriesNo: number; label: string; unit: string }[] = [];
  for (const { deviceNo, values = [] } of results) {
    const series = all.get(deviceNo) ?? new Map<string, number>();
    all.set(deviceNo, series);
    for (const { Label: label, Unit: unit } of values) {
      if (series.has(seriesKey(label, unit)) || series.size >= maxSeries) continue;
      const seriesNo = series.size + 1;
      series.set(seriesKey(label, unit), seriesNo);
      fresh.push({ deviceNo, seriesNo, label, unit });
    }
  }
  if (fresh.length > 0)
    await sql`
      insert into value_series (device_no, series_no, label, unit)
      select * from unnest(${fresh.map((one) => one.deviceNo)}::int[], ${fresh.map((one) => one.seriesNo)}::smallint[],
        ${fresh.map((one) => one.label)}::text[], ${fresh.map((one) => one.unit)}::text[])`.execute(trx);
  return all;
}
