import { dayUs, hourUs } from '@vantage/domain';
import { scale } from '@vantage/health';
import type { Clock, Logger } from '@vantage/kernel';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import {
  bisectBatch,
  checkSums,
  type Db,
  lockPacking,
  packedHistogram,
  phaseColumns,
  quarantine,
  type Refused,
  type Tables,
  unpackedHistogram,
} from '../../platform/db/index.ts';
import { checksOfSpan, checksTable, mayBePacked } from '../../platform/db/packed/index.ts';
import { beginMarkedHour, endHour, markEndedHours, unfinishedHours } from './progress.ts';
import { sumColumns } from './rollup-store.ts';

/** An hour is rolled up this long after its end, when all results that arrived in time are committed. */
const settleUs = 120_000_000;
const chunkDevices = 2_000;

/** Hourly and daily sums of checks. */
export interface RollUp {
  /**
   * Rolls up the hours that ended and the hours that late results changed. Returns the number of hours. When an hour
   * fails, the others are done first, then the promise rejects. Only one call may run at a time.
   */
  run(): Promise<number>;
}

/** The begins of the hours from `cursorUs` on that ended at least `settleUs` before `nowUs`. Pure. */
export function hoursDue(cursorUs: number, nowUs: number): number[] {
  const end = nowUs - settleUs;
  const until = end - (end % hourUs);
  const count = Math.max(0, (until - cursorUs) / hourUs);
  return Array.from({ length: count }, (_, i) => cursorUs + i * hourUs);
}

/** Creates the roll-up. */
export function createRollUp({
  db,
  clock,
  log,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
}): RollUp {
  const kysely = db.kysely;

  const rollDevices = (bucket: number, deviceNos: readonly number[]) =>
    kysely.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = '60s'`.execute(trx);
      if (mayBePacked(bucket, clock.nowUs())) {
        await lockPacking(trx, 'shared');
        await rollOldHour(trx, bucket, deviceNos);
      } else {
        await rollHour(trx, bucket, deviceNos);
      }
      await rollDay(trx, bucket - (bucket % dayUs), deviceNos);
    });

  /** The hour of a device that cannot be rolled up is quarantined with the reason. The other devices are rolled up. */
  const doHour = async (bucket: number) => {
    const devices = await allDevices(kysely);
    const refused: Refused<string>[] = [];
    for (let at = 0; at < devices.length; at += chunkDevices) {
      const failed = await bisectBatch(devices.slice(at, at + chunkDevices), (some) =>
        rollDevices(bucket, some),
      );
      refused.push(
        ...failed.map(({ item, error }) => ({ item: `device ${item}, hour ${isoOf(bucket)}`, error })),
      );
    }
    await quarantine(kysely, refused, { job: 'roll-up', nowUs: clock.nowUs(), log });
    await endHour(kysely, bucket);
  };

  return {
    async run() {
      const nowUs = clock.nowUs();
      const failed: unknown[] = [];
      /** An hour that fails stays in work until the next run; the other hours do not wait for it. */
      const attempt = async (bucket: number) => {
        try {
          await doHour(bucket);
          return 1;
        } catch (error) {
          failed.push(error);
          return 0;
        }
      };
      for (const bucket of await unfinishedHours(kysely)) await attempt(bucket);
      await markEnded(kysely, nowUs);
      const nextHour = () => beginMarkedHour(kysely);
      let done = 0;
      for (let bucket = await nextHour(); bucket !== undefined; bucket = await nextHour())
        done += await attempt(bucket);
      if (done > 0) log.debug({ hours: done }, 'rolled up');
      if (failed.length > 0) throw failed[0];
      return done;
    },
  };
}

function isoOf(us: number): string {
  return new Date(us / 1000).toISOString();
}

async function markEnded(kysely: Kysely<Tables>, nowUs: number): Promise<void> {
  await markEndedHours(
    kysely,
    async (trx) => (await firstHour(trx)) ?? nowUs - (nowUs % hourUs),
    (fromUs) => {
      const hours = hoursDue(fromUs, nowUs);
      return { hours, toUs: fromUs + hours.length * hourUs };
    },
  );
}

async function firstHour(db: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ first: number | null }>`select min(start_us) as first from checks`.execute(db);
  const first = rows[0]?.first;
  return first === null || first === undefined ? undefined : first - (first % hourUs);
}

/**
 * All devices, because finding each device's checks by the key is cheaper than reading the partition of a whole day.
 */
async function allDevices(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db.selectFrom('devices').select('device_no').orderBy('device_no').execute();
  return rows.map((row) => row.device_no);
}

/** Writes the sums of one hour for these devices. `bucket` is the begin of the hour. */
async function rollHour(trx: Kysely<Tables>, bucket: number, deviceNos: readonly number[]): Promise<void> {
  const rows = sql`checks where device_no = any(${deviceNos}::int[]) and start_us >= ${bucket} and start_us < ${bucket + hourUs}`;
  await rollChecks(trx, bucket, rows);
}

/** `rollHour` for an hour that may be packed. The caller holds the lock of packing. */
async function rollOldHour(trx: Kysely<Tables>, bucket: number, deviceNos: readonly number[]): Promise<void> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from packed_checks p where device_no = any(${deviceNos}::int[])
      and day_us = ${bucket - (bucket % dayUs)}::bigint`.execute(trx);
  const packed = new Set(rows.map(({ device_no }) => device_no));
  await rollHour(
    trx,
    bucket,
    deviceNos.filter((deviceNo) => !packed.has(deviceNo)),
  );
  // The sums of a packed hour are right unless a check came since, which is a row.
  const changed = await sql<{ device_no: number }>`
    select distinct device_no from checks where device_no = any(${[...packed]}::int[]) and start_us >= ${bucket}::bigint
      and start_us < ${bucket + hourUs}::bigint`.execute(trx);
  for (const { device_no: deviceNo } of changed.rows) {
    const checks = await checksOfSpan(trx, { deviceNo, fromUs: bucket, toUs: bucket + hourUs });
    await rollChecks(trx, bucket, checksTable(checks));
  }
}

/** Writes the sums of the checks of an hour. */
async function rollChecks(trx: Kysely<Tables>, bucket: number, checks: RawBuilder<unknown>): Promise<void> {
  const sums = checkSums(checks, { scale, widthUs: hourUs, phases: true });
  await insertSums('rollup_hourly', bucket, sums).execute(trx);
}

/** Writes the sums of one UTC day for these devices, from the sums of its hours. */
async function rollDay(trx: Kysely<Tables>, day: number, deviceNos: readonly number[]): Promise<void> {
  const sumsOfPhases = phaseColumns.map((_, at) => sql`sum(phase_sums[${sql.lit(at + 1)}])`);
  const rows = sql`
    with hours as (
      select * from rollup_hourly
      where device_no = any(${deviceNos}::int[]) and bucket_us >= ${day} and bucket_us < ${day + dayUs}
    ), sums as (
      select device_no, location_no, sum(checks) as checks, sum(errors) as errors, sum(inconclusive) as inconclusive,
        sum(sum_ms) as sum_ms,
        coalesce(min(min_ms) filter (where checks > errors + inconclusive), 0) as min_ms, max(max_ms) as max_ms,
        sum(lost) as lost, sum(sent) as sent, sum(retries) as retries, sum(on_request) as on_request,
        bool_and(phase_sums is not null) as has_phases, array[${sql.join(sumsOfPhases)}] as sums_of_phases
      from hours group by device_no, location_no
    ), histograms as (
      select device_no, location_no, array_agg(array[slot, n] order by slot) as histogram
      from (select device_no, location_no, histogram[k][1] as slot, sum(histogram[k][2])::int as n
        from hours, generate_subscripts(histogram, 1) as k group by 1, 2, 3) counts
      group by 1, 2
    ), phase_histograms as (
      select device_no, location_no, ${packedHistogram} as phase_histogram
      from (select device_no, location_no, entry, sum(n) as n
        from hours, lateral ${unpackedHistogram('phase_histogram')} as each group by 1, 2, 3) counts
      group by 1, 2
    )
    select sums.*, coalesce(histogram, '{}') as histogram, case when has_phases then sums_of_phases end as phase_sums,
      case when has_phases then coalesce(phase_histogram, '') end as phase_histogram
    from sums left join histograms using (device_no, location_no)
      left join phase_histograms using (device_no, location_no)`;
  await insertSums('rollup_daily', day, rows).execute(trx);
}

const columns = [...sumColumns, 'phase_sums', 'phase_histogram'];
const written = sql.join(columns.map((name) => sql.ref(name)));
const excluded = sql.join(columns.map((name) => sql.ref(`excluded.${name}`)));

/** Writes the rows of a SELECT, in place of those that are stored. */
function insertSums(
  table: 'rollup_hourly' | 'rollup_daily',
  bucket: number,
  rows: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    insert into ${sql.table(table)} (device_no, bucket_us, location_no, ${written})
    select device_no, ${bucket}::bigint, location_no, ${written} from (${rows}) as rows
    on conflict (device_no, bucket_us, location_no) do update set (${written}) = (${excluded})`;
}
