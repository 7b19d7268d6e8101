import { setImmediate as nextIteration } from 'node:timers/promises';
import { dayUs, hourUs } from '@vantage/domain';
import { type Db, startOfDay } from '@vantage/storage';
import { sql } from 'kysely';
import { labelText } from './label-text.ts';

/** The newest values of a device's checks, with the labels of all its series. */
interface ValuedDevice {
  readonly device_id: string;
  readonly short_name: string;
  /** By the numbers of the series. */
  readonly measured: readonly (number | null)[];
  readonly series: readonly { readonly no: number; readonly label: string; readonly unit: string }[];
}

/** Twice the longest Frequency. */
const recentUs = 2 * hourUs;
/** Devices that one statement reads and one iteration of the event loop writes. */
const devicesAtOnce = 200;
/** The samples of one scrape. */
const maxSamples = 50_000;

const head =
  '# HELP vantage_device_value A value of the last check that returned values; absent when there was none in two hours.\n# TYPE vantage_device_value gauge\n';

/**
 * The series of measured values in the text format of Prometheus: of the last check of each device that returned values
 * in two hours. Empty without any.
 */
export async function valueSeries(
  db: Pick<Db, 'kysely'>,
  {
    accountNo,
    nowUs,
    limit = maxSamples,
  }: { readonly accountNo: number; readonly nowUs: number; readonly limit?: number },
): Promise<{ readonly text: string; readonly isTruncated: boolean }> {
  const parts: string[] = [];
  let samples = 0;
  for (let after = 0; ; ) {
    const rows = await readValues(db, { accountNo, after, nowUs });
    for (const row of rows) {
      const own = samplesOf(row);
      if (samples + own.length > limit) return { text: head + parts.join(''), isTruncated: true };
      samples += own.length;
      parts.push(own.join(''));
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < devicesAtOnce) break;
    after = last.device_no;
    await nextIteration();
  }
  return { text: samples === 0 ? '' : head + parts.join(''), isTruncated: false };
}

function samplesOf({ device_id, short_name, measured, series }: ValuedDevice): string[] {
  const device = `device_id="${labelText(device_id)}",short_name="${labelText(short_name)}"`;
  return series.flatMap(({ no, label, unit }) => {
    const value = measured[no - 1] ?? null;
    if (value === null) return [];
    const labels = `${device},label="${labelText(label)}",unit="${labelText(unit)}"`;
    return [`vantage_device_value{${labels}} ${value}\n`];
  });
}

/**
 * The account's next devices with series, in the order of their numbers. `measured` is empty without a recent check.
 */
async function readValues(
  { kysely }: Pick<Db, 'kysely'>,
  { accountNo, after, nowUs }: { readonly accountNo: number; readonly after: number; readonly nowUs: number },
): Promise<readonly (ValuedDevice & { readonly device_no: number })[]> {
  const { rows } = await sql<ValuedDevice & { readonly device_no: number }>`
    select d.device_no, d.device_id, d.short_name, coalesce(c.measured, '{}') as measured,
      (select jsonb_agg(jsonb_build_object('no', s.series_no, 'label', s.label, 'unit', s.unit) order by s.series_no)
        from value_series s where s.device_no = d.device_no) as series
    from (select device_no, device_id, short_name from devices d
      where account_no = ${accountNo}::int and device_no > ${after}::int
        and exists (select from value_series s where s.device_no = d.device_no)
      order by device_no limit ${devicesAtOnce}) d
    left join lateral (
      select measured from checks where device_no = d.device_no and start_us > ${nowUs - recentUs}::bigint
        and start_us >= ${sql.lit(startOfDay(nowUs - recentUs))} and start_us < ${sql.lit(startOfDay(nowUs) + 2 * dayUs)}
        and measured is not null order by start_us desc, agent_no desc limit 1) c on true
    order by d.device_no`.execute(kysely);
  return rows;
}
