import { hourUs } from '@vantage/domain';
import { scale } from '@vantage/health';
import { checkSums, type Db } from '@vantage/storage';
import { setUp } from '@vantage/testing/set-up';
import { sql } from 'kysely';

/** Good checks of an hour, one a minute, with all phases; the latencies spread as those of a web server do. */
const perHour = 60;

/**
 * Writes a device's hours before `toUs` into the roll-ups as the controller does (each with the histogram of every
 * phase), and says that all hours are rolled up.
 */
export async function rollUpDevice(
  { kysely }: Pick<Db, 'kysely'>,
  device: {
    readonly deviceNo: number;
    readonly locationNo: number;
    readonly toUs: number;
    readonly hours: number;
  },
): Promise<void> {
  const { deviceNo, locationNo, toUs, hours } = device;
  const endUs = toUs - (toUs % hourUs);
  const spread = (middleMs: number) =>
    sql`(${middleMs}::float8 * exp((random() + random() + random() - 1.5) * 0.8))::real`;
  const checks = sql`(
    select ${deviceNo}::int as device_no, ${locationNo}::int as location_no,
      ${endUs - hours * hourUs}::bigint + at * ${hourUs / perHour}::bigint as start_us, 1 as code, null::jsonb as extended,
      0 as attempt, null::text as run_request_id, ${spread(3)} as dns_ms, ${spread(12)} as connect_ms,
      ${spread(25)} as ssl_ms, ${spread(60)} as ttfb_ms, ${spread(8)} as ttlb_ms
    from generate_series(0, ${hours * perHour - 1}::int) as at) as made`;
  await setUp(kysely, async (connection) => {
    await sql`
    insert into rollup_hourly (device_no, bucket_us, location_no, checks, retries, on_request, errors, inconclusive, sum_ms, min_ms,
      max_ms, lost, sent, phase_sums, histogram, phase_histogram)
    select device_no, bucket_us, location_no, checks, retries, on_request, errors, inconclusive, sum_ms, min_ms,
      max_ms, lost, sent, phase_sums, histogram, phase_histogram
    from (${checkSums(checks, { scale, widthUs: hourUs, phases: true })}) as sums`.execute(connection);
    await sql`
    insert into job_cursors (name, at_us) values ('roll-up', ${endUs}::bigint)
    on conflict (name) do update set at_us = excluded.at_us`.execute(connection);
    await sql`vacuum analyze rollup_hourly`.execute(connection);
  });
}
