import { isDeepStrictEqual } from 'node:util';
import { dayUs } from '@vantage/domain';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { areShardsMoving } from '../../platform/db/distribute/index.ts';
import {
  type Db,
  dbFailure,
  lockDevices,
  lockPacking,
  mostDaysInRun,
  partitionOf,
  startOfDay,
  type Tables,
} from '../../platform/db/index.ts';
import {
  mergeChecks,
  mostChecks,
  type PackedCheck,
  packDay,
  packedChecks,
  rowColumns,
  unpackDay,
} from '../../platform/db/packed/index.ts';

/** Packs old days. */
export interface DayPacker {
  /**
   * Packs the days that are old enough, a device and day in each transaction. Returns false when work is left for the
   * next call. Checks that arrived for a day after it was packed are added to it. While shards of a distributed history
   * move, it packs nothing.
   */
  run(): Promise<boolean>;
}

/** The device-days of one call. */
const mostInCall = 500;

/** Checks that are packed: good ones that nobody requested. The partial indexes of `checks` hold all others. */
const isPlain = sql<boolean>`(code = 1 and run_request_id is null)`;

/** Creates the packer. `afterDays`: a day is packed so many days after its end. */
export function createDayPacker({
  db: { kysely },
  clock,
  log,
  afterDays,
  retentionDays,
  rolledToUs,
}: {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly afterDays: number;
  readonly retentionDays: number;
  /** Hours before this moment are rolled up: roll-ups read rows. */
  readonly rolledToUs: (kysely: Kysely<Tables>) => Promise<number>;
}): DayPacker {
  let packed = 0;
  /** Where the last call ended. */
  let place: { readonly dayUs: number; readonly deviceNo: number } | undefined;

  /** Packs the devices of a day until all are packed or the call has done enough. Returns whether all are. */
  const packDevices = async (beginUs: number): Promise<boolean> => {
    let deviceNo = place?.dayUs === beginUs ? place.deviceNo : 0;
    for (;;) {
      const next = await nextDevice(kysely, beginUs, deviceNo);
      if (next === undefined) return true;
      if (packed >= mostInCall) {
        place = { dayUs: beginUs, deviceNo };
        return false;
      }
      const left = await kysely
        .transaction()
        .execute((trx) => packDevice(trx, next, beginUs))
        .catch((error: unknown) => {
          if (dbFailure(error) === 'retry') throw error;
          return messageOf(error);
        });
      if (left !== undefined)
        log.warn(
          { deviceNo: next, day: isoDay(beginUs), reason: left },
          'a day of a device cannot be packed; its checks stay rows',
        );
      packed += 1;
      deviceNo = next;
    }
  };

  return {
    async run() {
      // A move repeats each deletion on the copy of the shard, where it reads all of the day: it would never end.
      if (await areShardsMoving(kysely)) return true;
      packed = 0;
      const nowUs = clock.nowUs();
      const untilUs = Math.min(nowUs - afterDays * dayUs, await rolledToUs(kysely));
      const firstUs = Math.max(startOfDay(nowUs - retentionDays * dayUs), place?.dayUs ?? 0);
      for (let beginUs = firstUs; beginUs + dayUs <= untilUs; beginUs += dayUs)
        if (!(await packDevices(beginUs))) return false;
      place = undefined;
      await compactDays(kysely, log);
      return true;
    },
  };
}

function isoDay(us: number): string {
  return new Date(us / 1000).toISOString().slice(0, 10);
}

/** The next device after this one that has a check of that day to pack. */
async function nextDevice(
  kysely: Kysely<Tables>,
  beginUs: number,
  deviceNo: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from checks where start_us >= ${sql.lit(beginUs)} and start_us < ${sql.lit(beginUs + dayUs)}
      and device_no > ${deviceNo}::int and ${isPlain} order by device_no limit 1`.execute(kysely);
  return rows[0]?.device_no;
}

/**
 * Packs a day of a device, with what was packed of it before. Returns why it stays as it is. Ingest and roll-ups wait
 * meanwhile.
 */
async function packDevice(
  trx: Kysely<Tables>,
  deviceNo: number,
  beginUs: number,
): Promise<string | undefined> {
  await lockPacking(trx, 'alone');
  await lockDevices(trx, [deviceNo]);
  const device = await sql`select 1 from devices where device_no = ${deviceNo}::int for key share`.execute(
    trx,
  );
  if (device.rows.length === 0) {
    await deletePlain(trx, deviceNo, beginUs);
    return undefined;
  }
  const { rows } = await sql<PackedCheck>`
    select ${rowColumns} from checks where ${isOfDay(deviceNo, beginUs)} and ${isPlain}
    order by start_us, agent_no limit ${mostChecks + 1}`.execute(trx);
  const known = await packedChecks(trx, { deviceNo, fromUs: beginUs, toUs: beginUs + dayUs });
  const checks = mergeChecks(rows, known);
  const day = packDay(beginUs, checks);
  const [first, last] = [checks[0], checks.at(-1)];
  if (day === undefined || first === undefined || last === undefined) return 'too many or too large';
  if (!isDeepStrictEqual(unpackDay(deviceNo, beginUs, day), checks)) return 'does not come back as it was';
  await sql`
    insert into packed_checks (device_no, day_us, checks, first_us, last_us, last_result, marks, facts)
    values (${deviceNo}, ${beginUs}, ${day.checks}, ${first.start_us}, ${last.start_us}, ${last.check_result},
      ${day.marks}, ${day.facts})
    on conflict (device_no, day_us) do update set (checks, first_us, last_us, last_result, marks, facts) =
      (excluded.checks, excluded.first_us, excluded.last_us, excluded.last_result, excluded.marks, excluded.facts)`.execute(
    trx,
  );
  const deleted = await deletePlain(trx, deviceNo, beginUs);
  if (deleted !== rows.length) throw new Error(`${deleted} rows were deleted, but ${rows.length} packed`);
  return undefined;
}

/** Deletes the rows that are packed, and marks the day: its partition still has their space. */
async function deletePlain(trx: Kysely<Tables>, deviceNo: number, beginUs: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from check_rows where ${isOfDay(deviceNo, beginUs)} and ${isPlain}`.execute(trx);
  await sql`insert into days_to_compact (day_us) values (${beginUs}) on conflict do nothing`.execute(trx);
  return Number(numAffectedRows ?? 0);
}

function isOfDay(deviceNo: number, beginUs: number) {
  return sql<boolean>`(device_no = ${deviceNo}::int and start_us >= ${sql.lit(beginUs)} and start_us < ${sql.lit(beginUs + dayUs)})`;
}

/** Deletes the packed days of these devices. */
export async function deletePackedDays(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  await sql`select delete_packed_days(${deviceNos}::int[])`.execute(trx);
}

/**
 * Deletes the oldest packed days that ended before the retention, at most `mostDaysInRun` of them, some rows at a time.
 */
export async function dropPackedDays(kysely: Kysely<Tables>, retainedUs: number): Promise<void> {
  const { rows } = await sql<{ day: number }>`
    select distinct day_us as day from packed_checks where day_us < ${startOfDay(retainedUs)}::bigint
    order by day_us limit ${mostDaysInRun}`.execute(kysely);
  const lastUs = rows.at(-1)?.day;
  if (lastUs === undefined) return;
  const beforeUs = lastUs + dayUs;
  for (let call = 0; call < mostInCall; call += 1) {
    const { numAffectedRows } = await sql`
      delete from packed_checks where (device_no, day_us) in (
        select device_no, day_us from packed_checks where day_us < ${startOfDay(beforeUs)}::bigint limit 1000)`.execute(
      kysely,
    );
    if (numAffectedRows === undefined || numAffectedRows === 0n) return;
  }
}

/**
 * Gives the disk the space of packed checks back: the partition of each marked day is written anew with the rows that
 * are left.
 */
export async function compactDays(kysely: Kysely<Tables>, log: Logger): Promise<void> {
  const { rows } = await sql<{ day_us: number }>`select day_us from days_to_compact order by day_us`.execute(
    kysely,
  );
  for (const { day_us: dayUs } of rows)
    try {
      await kysely.transaction().execute((trx) => compactDay(trx, dayUs));
    } catch (error) {
      // A long read of the partition, such as a backup, holds it: the next call tries again.
      if (dbFailure(error) !== 'retry') throw error;
      log.debug({ dayUs, error: messageOf(error) }, 'the partition of a packed day is in use');
    }
}

/** Reads wait only while the rows that are left are written back. */
async function compactDay(trx: Kysely<Tables>, dayUs: number): Promise<void> {
  const { name } = partitionOf(dayUs);
  const { rows } = await sql`select 1 from pg_class where oid = to_regclass(${name})`.execute(trx);
  if (rows.length > 0) {
    const partition = sql.table(name);
    await sql`set local lock_timeout = '2s'`.execute(trx);
    await sql`set local statement_timeout = '60s'`.execute(trx);
    await sql`lock table ${partition} in share row exclusive mode`.execute(trx);
    await sql`create temporary table left_checks on commit drop as select * from ${partition}`.execute(trx);
    await sql`truncate ${partition}`.execute(trx);
    await sql`insert into ${partition} select * from left_checks`.execute(trx);
  }
  await sql`delete from days_to_compact where day_us = ${dayUs}`.execute(trx);
}
