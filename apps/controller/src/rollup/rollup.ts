import { verdictSql } from '@vantage/domain';
import { scale } from '@vantage/health';
import type { Clock, Logger } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { type Db, doEach, packetCount, quarantine, type Refused, type Tables } from '../db/index.ts';

const isGood = sql.raw(verdictSql('good', 'code'));
const isBad = sql.raw(verdictSql('bad', 'code'));
const isInconclusive = sql.raw(verdictSql('inconclusive', 'code'));

const hourUs = 3_600_000_000;
const dayUs = 86_400_000_000;
/** An hour is rolled up this long after its end, when all that came in time is committed. */
const settleUs = 120_000_000;
const chunkDevices = 2_000;

/** Hourly and daily sums of checks. */
export interface RollUp {
  /** Rolls up the hours that ended and those that late results changed. Returns how many hours were done; rejects, after all the others, when one failed. One at a time, please. */
  run(): Promise<number>;
}

/** The hours between two positions: those that ended, and settled, since the last time. Pure. */
export function hoursDue(cursorUs: number, nowUs: number): number[] {
  const end = nowUs - settleUs;
  const until = end - (end % hourUs);
  const count = Math.max(0, (until - cursorUs) / hourUs);
  return Array.from({ length: count }, (_, i) => cursorUs + i * hourUs);
}

/** Makes the roll-up. */
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

  /** The mark goes before the work, its place in the work is kept: who marks meanwhile gets the hour done again. */
  const takeMark = () =>
    kysely.transaction().execute(async (trx) => {
      const { rows } = await sql<{ bucket_us: number }>`
        delete from rollup_dirty where bucket_us = (select min(bucket_us) from rollup_dirty)
        returning bucket_us`.execute(trx);
      const bucket = rows[0]?.bucket_us;
      if (bucket !== undefined) await setCursor(trx, doing(bucket), bucket);
      return bucket;
    });

  const rollDevices = (bucket: number, deviceNos: readonly number[]) =>
    kysely.transaction().execute(async (trx) => {
      await sql`set local statement_timeout = '60s'`.execute(trx);
      await rollHour(trx, bucket, deviceNos);
      await rollDay(trx, bucket - (bucket % dayUs), deviceNos);
    });

  /** A device whose hour cannot be summed is left out, and kept with the reason. */
  const doHour = async (bucket: number) => {
    const devices = await allDevices(kysely);
    const refused: Refused<string>[] = [];
    for (let at = 0; at < devices.length; at += chunkDevices) {
      const failed = await doEach(devices.slice(at, at + chunkDevices), (some) => rollDevices(bucket, some));
      refused.push(
        ...failed.map(({ item, error }) => ({ item: `device ${item}, hour ${isoOf(bucket)}`, error })),
      );
    }
    await quarantine(kysely, refused, { job: 'roll-up', nowUs: clock.nowUs(), log });
    await kysely.deleteFrom('job_cursors').where('name', '=', doing(bucket)).execute();
  };

  return {
    async run() {
      const nowUs = clock.nowUs();
      const failed: unknown[] = [];
      /** An hour that fails as a whole keeps its place in the work for the next time; the others do not wait for it. */
      const attempt = async (bucket: number) => {
        try {
          await doHour(bucket);
          return 1;
        } catch (error) {
          failed.push(error);
          return 0;
        }
      };
      for (const bucket of await unfinished(kysely)) await attempt(bucket);
      await markEnded(kysely, nowUs);
      let done = 0;
      for (let bucket = await takeMark(); bucket !== undefined; bucket = await takeMark())
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

async function markEnded(db: Kysely<Tables>, nowUs: number): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const known = await cursor(trx, 'roll-up');
    const from = known ?? (await firstHour(trx)) ?? nowUs - (nowUs % hourUs);
    const due = hoursDue(from, nowUs);
    await sql`
      insert into rollup_dirty (bucket_us) select unnest(${due}::bigint[]) on conflict do nothing`.execute(
      trx,
    );
    await setCursor(trx, 'roll-up', from + due.length * hourUs);
  });
}

async function cursor(db: Kysely<Tables>, name: string): Promise<number | undefined> {
  const row = await db.selectFrom('job_cursors').select('at_us').where('name', '=', name).executeTakeFirst();
  return row?.at_us;
}

/** Under this name an hour's place in the work is kept. */
function doing(bucket: number): string {
  return `roll-up doing ${bucket}`;
}

/** Hours that somebody began and did not end. */
async function unfinished(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db
    .selectFrom('job_cursors')
    .select('at_us')
    .where('name', 'like', 'roll-up doing %')
    .orderBy('at_us')
    .execute();
  return rows.map((row) => row.at_us);
}

async function setCursor(db: Kysely<Tables>, name: string, atUs: number): Promise<void> {
  await db
    .insertInto('job_cursors')
    .values({ name, at_us: atUs })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ at_us: atUs }))
    .execute();
}

async function firstHour(db: Kysely<Tables>): Promise<number | undefined> {
  const { rows } = await sql<{ first: number | null }>`select min(start_us) as first from checks`.execute(db);
  const first = rows[0]?.first;
  return first === null || first === undefined ? undefined : first - (first % hourUs);
}

/** All devices: looking each one up in the hour by the key is cheaper than reading a day's partition for the few that matter. */
async function allDevices(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db.selectFrom('devices').select('device_no').orderBy('device_no').execute();
  return rows.map((row) => row.device_no);
}

const bucketSql = sql`greatest(0, ceil(ln(greatest(total_ms, ${sql.lit(scale.smallestMs)}::float8)
  / ${sql.lit(scale.smallestMs)}::float8) / ln(${sql.lit(scale.growth)}::float8)))::int`;

async function rollHour(trx: Kysely<Tables>, bucket: number, deviceNos: readonly number[]): Promise<void> {
  await sql`
    with hour as (
      select device_no, location_no, code, ${packetCount('Sent')} as sent, ${packetCount('Received')} as received,
        dns_ms::float8 + connect_ms + ssl_ms + ttfb_ms + ttlb_ms as total_ms
      from checks
      where device_no = any(${deviceNos}::int[]) and start_us >= ${bucket} and start_us < ${bucket + hourUs}
    ), sums as (
      select device_no, location_no, count(*) as checks,
        count(*) filter (where ${isBad}) as errors,
        count(*) filter (where ${isInconclusive}) as inconclusive,
        coalesce(sum(total_ms) filter (where ${isGood}), 0) as sum_ms,
        coalesce(min(total_ms) filter (where ${isGood}), 0) as min_ms,
        coalesce(max(total_ms) filter (where ${isGood}), 0) as max_ms,
        sum(greatest(0, sent - received)) as lost, sum(sent) as sent
      from hour group by device_no, location_no
    ), counts as (
      select device_no, location_no, ${bucketSql} as slot, count(*)::int as n
      from hour where ${isGood} group by 1, 2, 3
    ), histograms as (
      select device_no, location_no, array_agg(array[slot, n] order by slot) as histogram
      from counts group by device_no, location_no
    )
    insert into rollup_hourly
      (device_no, bucket_us, location_no, checks, errors, inconclusive, sum_ms, min_ms, max_ms, lost, sent, histogram)
    select device_no, ${bucket}::bigint, location_no, checks, errors, inconclusive, sum_ms, min_ms, max_ms, lost, sent,
      coalesce(histogram, '{}')
    from sums left join histograms using (device_no, location_no)
    on conflict (device_no, bucket_us, location_no) do update set (${replaced}) = (${excluded})`.execute(trx);
}

async function rollDay(trx: Kysely<Tables>, day: number, deviceNos: readonly number[]): Promise<void> {
  await sql`
    with hours as (
      select * from rollup_hourly
      where device_no = any(${deviceNos}::int[]) and bucket_us >= ${day} and bucket_us < ${day + dayUs}
    ), sums as (
      select device_no, location_no, sum(checks) as checks, sum(errors) as errors, sum(inconclusive) as inconclusive,
        sum(sum_ms) as sum_ms,
        coalesce(min(min_ms) filter (where checks > errors + inconclusive), 0) as min_ms, max(max_ms) as max_ms,
        sum(lost) as lost, sum(sent) as sent
      from hours group by device_no, location_no
    ), counts as (
      select device_no, location_no, histogram[k][1] as slot, sum(histogram[k][2])::int as n
      from hours, generate_subscripts(histogram, 1) as k group by 1, 2, 3
    ), histograms as (
      select device_no, location_no, array_agg(array[slot, n] order by slot) as histogram
      from counts group by device_no, location_no
    )
    insert into rollup_daily
      (device_no, bucket_us, location_no, checks, errors, inconclusive, sum_ms, min_ms, max_ms, lost, sent, histogram)
    select device_no, ${day}::bigint, location_no, checks, errors, inconclusive, sum_ms, min_ms, max_ms, lost, sent,
      coalesce(histogram, '{}')
    from sums left join histograms using (device_no, location_no)
    on conflict (device_no, bucket_us, location_no) do update set (${replaced}) = (${excluded})`.execute(trx);
}

const measures = [
  'checks',
  'errors',
  'inconclusive',
  'sum_ms',
  'min_ms',
  'max_ms',
  'lost',
  'sent',
  'histogram',
];
const replaced = sql.join(measures.map((name) => sql.ref(name)));
const excluded = sql.join(measures.map((name) => sql.ref(`excluded.${name}`)));
