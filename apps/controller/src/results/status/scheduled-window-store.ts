import { type Span, secondUs } from '@vantage/domain';
import { type MaintenanceSchedule, occurrenceId } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A maintenance schedule with what its windows inherit. */
export interface WindowSchedule extends MaintenanceSchedule {
  readonly endOnFirstOk: boolean;
  /** All settings that windows follow. */
  readonly signature: string;
}

/** A device whose windows do not follow its schedule far enough. */
export interface StaleDevice {
  readonly deviceNo: number;
  readonly mscheduleNo: number | null;
  readonly schedule: WindowSchedule | null;
  /**
   * Its schedule is another one, has other settings, or its windows were made with a clock that was ahead. False: time
   * went on.
   */
  readonly isChanged: boolean;
}

/** The windows of a schedule as they should be. */
interface Wanted {
  readonly mscheduleNo: number | null;
  readonly occurrences: readonly Span[];
  readonly nowUs: number;
}

/**
 * Up to 500 devices, in turns by account, whose windows are of another schedule, of other settings, or made for a
 * horizon outside of this span: before it, time went on; after it, they were made with a clock that was ahead.
 */
export async function staleDevices(
  db: Kysely<Tables>,
  horizon: Span,
  which: number | readonly number[] | undefined,
): Promise<readonly StaleDevice[]> {
  const own = which === undefined ? sql`true` : sql`d.device_no = any(${[which].flat()}::int[])`;
  const { rows } = await sql<{
    deviceNo: number;
    mscheduleNo: number | null;
    timezone: string | null;
    startLocal: string | null;
    durationS: number | null;
    recurrence: string | null;
    endOnFirstOk: boolean | null;
    signature: string | null;
    isChanged: boolean;
  }>`
    with scheduled as (
      select d.device_no, d.account_no, d.mschedule_no from devices d where d.mschedule_no is not null and ${own}
      union
      select s.device_no, d.account_no, d.mschedule_no from device_schedules s join devices d using (device_no)
      where d.mschedule_no is null and ${own}
    ), compared as (
      select c.device_no, c.account_no, c.mschedule_no, m.timezone, m.start_local, m.duration_s, m.recurrence, m.end_on_first_ok,
        concat_ws('|', m.timezone, m.start_local, m.duration_s, m.end_on_first_ok, m.recurrence) as signature
      from scheduled c left join mschedules m using (mschedule_no)
    )
    select c.device_no as "deviceNo", c.mschedule_no as "mscheduleNo", c.timezone, c.start_local as "startLocal",
      c.duration_s as "durationS", c.recurrence, c.end_on_first_ok as "endOnFirstOk", c.signature,
      (s.mschedule_no is distinct from c.mschedule_no or s.signature is distinct from c.signature
        or s.until_us > ${horizon.toUs}::bigint) as "isChanged"
    from compared c left join device_schedules s using (device_no)
    where s.mschedule_no is distinct from c.mschedule_no or s.signature is distinct from c.signature
      or s.until_us < ${horizon.fromUs}::bigint or s.until_us > ${horizon.toUs}::bigint
    order by row_number() over (partition by c.account_no order by c.device_no), c.device_no limit 500`.execute(
    db,
  );
  return rows.map((row) => ({
    deviceNo: row.deviceNo,
    mscheduleNo: row.mscheduleNo,
    isChanged: row.isChanged,
    schedule:
      row.timezone === null
        ? null
        : {
            timezone: row.timezone,
            startLocal: row.startLocal ?? '',
            recurrence: row.recurrence,
            durationUs: (row.durationS ?? 0) * secondUs,
            endOnFirstOk: row.endOnFirstOk === true,
            signature: row.signature ?? '',
          },
  }));
}

/** Deletes the scheduled windows of these devices that have not begun. */
export async function dropFuture(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<void> {
  await sql`
    delete from maintenance_windows where device_no = any(${deviceNos}::int[])
      and source = 'schedule' and from_us > ${nowUs}::bigint`.execute(trx);
}

/**
 * Gives the running scheduled windows of these devices the end that their occurrence has now; without an occurrence
 * they end now.
 */
export async function adjustRunning(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  { mscheduleNo, occurrences, nowUs }: Wanted,
): Promise<void> {
  await sql`
    update maintenance_windows w
    set to_us = coalesce((select o.to_us from ${table(occurrences)} as o (from_us, to_us)
      where o.from_us = w.occurrence_us and w.mschedule_no = ${mscheduleNo}::int), ${nowUs}::bigint)
    where device_no = any(${deviceNos}::int[]) and source = 'schedule'
      and from_us <= ${nowUs}::bigint and to_us > ${nowUs}::bigint`.execute(trx);
}

/**
 * Creates the windows of these occurrences for these devices; a window that began before begins now. An occurrence that
 * has a window keeps it, and one that was cancelled gets none. The lock keeps `cancelOccurrence` away until the
 * transaction ends.
 */
export async function insertWindows(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  { mscheduleNo, occurrences, nowUs, endOnFirstOk }: Wanted & { readonly endOnFirstOk: boolean },
): Promise<void> {
  if (mscheduleNo === null) return;
  await sql`select from mschedules where mschedule_no = ${mscheduleNo} for share`.execute(trx);
  const ids = occurrences.map(({ fromUs }) => occurrenceId(mscheduleNo, fromUs));
  const spans = [occurrences.map(({ fromUs }) => fromUs), occurrences.map(({ toUs }) => toUs)] as const;
  await sql`
    insert into maintenance_windows
      (device_no, source, mschedule_no, occurrence_us, from_us, to_us, end_on_first_ok, start_notified, maintenance_id)
    select d.device_no, 'schedule', ${mscheduleNo}::int, o.from_us, greatest(o.from_us, ${nowUs}::bigint), o.to_us,
      ${endOnFirstOk}, false, o.id
    from devices d cross join unnest(${spans[0]}::bigint[], ${spans[1]}::bigint[], ${ids}::text[]) as o (from_us, to_us, id)
    where d.device_no = any(${deviceNos}::int[]) and not exists (select 1 from cancelled_occurrences c
      where c.mschedule_no = ${mscheduleNo}::int and c.occurrence_us = o.from_us)
    on conflict (device_no, mschedule_no, occurrence_us) do nothing`.execute(trx);
}

/** Cancels an occurrence of a schedule that has not begun, for the devices of now and of later. */
export async function cancelOccurrence(
  trx: Kysely<Tables>,
  {
    mscheduleNo,
    occurrenceUs,
    nowUs,
  }: { readonly mscheduleNo: number; readonly occurrenceUs: number; readonly nowUs: number },
): Promise<void> {
  await sql`select from mschedules where mschedule_no = ${mscheduleNo} for no key update`.execute(trx);
  await sql`
    insert into cancelled_occurrences (mschedule_no, occurrence_us) values (${mscheduleNo}, ${occurrenceUs}::bigint)
    on conflict do nothing`.execute(trx);
  await sql`
    delete from maintenance_windows where maintenance_id = ${occurrenceId(mscheduleNo, occurrenceUs)}
      and source = 'schedule' and from_us > ${nowUs}::bigint`.execute(trx);
}

/** Notes which schedule the windows of these devices follow, and until when. */
export async function keepSchedule(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  kept: { readonly mscheduleNo: number; readonly signature: string; readonly untilUs: number },
): Promise<void> {
  await sql`
    insert into device_schedules (device_no, mschedule_no, signature, until_us)
    select device_no, ${kept.mscheduleNo}::int, ${kept.signature}, ${kept.untilUs}::bigint
    from devices where device_no = any(${deviceNos}::int[])
    on conflict (device_no) do update set mschedule_no = excluded.mschedule_no, signature = excluded.signature,
      until_us = excluded.until_us`.execute(trx);
}

/** Notes that these devices have no schedule. */
export async function forgetSchedule(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  await sql`delete from device_schedules where device_no = any(${deviceNos}::int[])`.execute(trx);
}

function table(spans: readonly Span[]) {
  return sql`unnest(${spans.map(({ fromUs }) => fromUs)}::bigint[], ${spans.map(({ toUs }) => toUs)}::bigint[])`;
}
