import { dayUs, secondUs } from '@vantage/domain';
import { nextOccurrences, occurrenceId } from '@vantage/health';
import { idField, timestampField } from '@vantage/rest-kit/field';
import type { Zone } from '@vantage/rest-kit/zone';
import { type Db, isOneOf } from '@vantage/storage';
import { sql } from 'kysely';
import { z } from 'zod';

/**
 * A maintenance as answers show it: the windows of one request, or of one occurrence of a schedule. Times are
 * microseconds since 1970.
 */
export interface MaintenanceRow {
  readonly maintenance_id: string;
  readonly source: string;
  readonly mschedule_id: string | null;
  readonly from_us: number;
  readonly to_us: number;
  readonly reason: string | null;
  readonly started_by: string | null;
  readonly devices: number;
  /** Ids of the first `maxDevices` in the order of creation. */
  readonly device_ids: readonly string[];
  /** The schedule of an occurrence that has not begun. */
  readonly plannedBy?: number;
}

/** The maximum of devices that a maintenance names. */
const maxDevices = 100;

/** The maintenance to list. */
interface MaintenanceAsk {
  readonly accountNo: number;
  readonly nowUs: number;
  /** Maintenance that ended after this moment; undefined: what has not ended. */
  readonly fromUs?: number | undefined;
  /** Maintenance that starts before this moment; undefined: all. */
  readonly untilUs?: number | undefined;
  readonly maintenanceId?: string | undefined;
  readonly deviceNos?: readonly number[] | undefined;
}

/** All maintenance that runs or is planned, and what ended after `fromUs`, in the order of its begin. */
export async function findMaintenance(
  db: Pick<Db, 'kysely'>,
  ask: Parameters<typeof storedMaintenance>[1],
): Promise<readonly MaintenanceRow[]> {
  const [stored, schedules] = await Promise.all([storedMaintenance(db, ask), usedSchedules(db, ask)]);
  const { maintenanceId } = ask;
  const { untilUs = Number.POSITIVE_INFINITY } = ask;
  const planned = plannedMaintenance(schedules, ask.nowUs).filter(
    (row) => row.from_us < untilUs && (maintenanceId === undefined || row.maintenance_id === maintenanceId),
  );
  return [...stored, ...planned].sort((a, b) => a.from_us - b.from_us);
}

/**
 * Past and running maintenance, and requested maintenance in the future, in order of its start. Windows of schedules
 * are not included, because they are stored for two days ahead only.
 */
async function storedMaintenance(
  { kysely }: Pick<Db, 'kysely'>,
  { accountNo, nowUs, fromUs = nowUs, untilUs, maintenanceId, deviceNos }: MaintenanceAsk,
): Promise<readonly MaintenanceRow[]> {
  const conditions = [
    sql`d.account_no = ${accountNo}`,
    sql`w.to_us > ${Math.min(fromUs, nowUs)}::bigint`,
    // A window that was cancelled at its start has no length.
    sql`w.to_us > w.from_us`,
    ...(untilUs === undefined ? [] : [sql`w.from_us < ${untilUs}::bigint`]),
    sql`(w.source = 'manual' or w.from_us <= ${nowUs}::bigint)`,
    ...(maintenanceId === undefined ? [] : [sql`w.maintenance_id = ${maintenanceId}`]),
    ...(deviceNos === undefined ? [] : [isOneOf(sql`w.device_no`, deviceNos, 'int')]),
  ];
  const { rows } = await sql<MaintenanceRow>`
    select w.maintenance_id, min(w.source) as source, min(m.mschedule_id) as mschedule_id, min(w.from_us) as from_us,
      max(w.to_us) as to_us, min(w.reason) as reason, min(w.started_by) as started_by, count(*)::int as devices,
      (array_agg(d.device_id order by d.device_no))[1:${sql.lit(maxDevices)}] as device_ids
    from maintenance_windows w join devices d using (device_no) left join mschedules m on m.mschedule_no = w.mschedule_no
    where ${sql.join(conditions, sql` and `)}
    group by w.maintenance_id order by 4, 2, 1`.execute(kysely);
  return rows;
}

/** The devices with a window of this maintenance that has not ended. */
export async function devicesOfMaintenance(
  { kysely }: Pick<Db, 'kysely'>,
  {
    accountNo,
    maintenanceId,
    nowUs,
  }: { readonly accountNo: number; readonly maintenanceId: string; readonly nowUs: number },
): Promise<readonly number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select distinct w.device_no from maintenance_windows w join devices d using (device_no)
    where w.maintenance_id = ${maintenanceId} and w.to_us > ${nowUs}::bigint and d.account_no = ${accountNo} order by 1`.execute(
    kysely,
  );
  return rows.map(({ device_no }) => device_no);
}

/** A maintenance schedule that devices use. */
interface UsedSchedule {
  readonly mschedule_no: number;
  readonly mschedule_id: string;
  readonly timezone: string;
  readonly start_local: string;
  readonly duration_s: number;
  readonly recurrence: string | null;
  readonly devices: number;
  readonly device_ids: readonly string[];
  /** Occurrences that were cancelled. */
  readonly cancelled_us: readonly number[];
}

/**
 * The account's maintenance schedules that have devices; with `deviceNos` those of these devices, and only these of
 * them.
 */
async function usedSchedules(
  { kysely }: Pick<Db, 'kysely'>,
  { accountNo, nowUs, deviceNos }: MaintenanceAsk,
): Promise<readonly UsedSchedule[]> {
  const own = deviceNos === undefined ? sql`true` : isOneOf(sql`d.device_no`, deviceNos, 'int');
  const { rows } = await sql<UsedSchedule>`
    select m.mschedule_no, m.mschedule_id, m.timezone, m.start_local, m.duration_s, m.recurrence, u.devices, u.device_ids,
      coalesce((select json_agg(c.occurrence_us) from cancelled_occurrences c
        where c.mschedule_no = m.mschedule_no and c.occurrence_us > ${nowUs}::bigint), '[]') as cancelled_us
    from mschedules m join lateral (
      select count(*)::int as devices, (array_agg(d.device_id order by d.device_no))[1:${sql.lit(maxDevices)}] as device_ids
      from devices d where d.mschedule_no = m.mschedule_no and ${own}) u on u.devices > 0
    where m.account_no = ${accountNo} order by m.mschedule_no`.execute(kysely);
  return rows;
}

/** Occurrences are listed this far ahead, microseconds, up to a maximum for each schedule. */
const aheadUs = 62 * dayUs;
const maxOfSchedule = 100;

/**
 * The occurrences of these schedules that begin after now, cancelled ones left out, in the order of their begin. Pure.
 */
function plannedMaintenance(schedules: readonly UsedSchedule[], nowUs: number): readonly MaintenanceRow[] {
  return schedules
    .flatMap((schedule) => occurrencesOf(schedule, nowUs))
    .sort((a, b) => a.from_us - b.from_us || (a.maintenance_id < b.maintenance_id ? -1 : 1));
}

function occurrencesOf(schedule: UsedSchedule, nowUs: number): readonly MaintenanceRow[] {
  const { timezone, start_local: startLocal, duration_s, recurrence } = schedule;
  const rule = { timezone, startLocal, durationUs: duration_s * secondUs, recurrence };
  const cancelled = new Set(schedule.cancelled_us);
  return nextOccurrences(rule, nowUs, maxOfSchedule).flatMap(({ window }) =>
    window === undefined ||
    window.fromUs <= nowUs ||
    window.fromUs > nowUs + aheadUs ||
    cancelled.has(window.fromUs)
      ? []
      : [
          {
            maintenance_id: occurrenceId(schedule.mschedule_no, window.fromUs),
            source: 'schedule',
            plannedBy: schedule.mschedule_no,
            mschedule_id: schedule.mschedule_id,
            from_us: window.fromUs,
            to_us: window.toUs,
            reason: null,
            started_by: null,
            devices: schedule.devices,
            device_ids: schedule.device_ids,
          },
        ],
  );
}

const shared = {
  maintenance_id: idField,
  Source: z.enum(['Manual', 'Schedule']).describe('Who asked for it: somebody, or a maintenance schedule.'),
  mschedule_id: idField.nullable().describe('The schedule; null: it has none.'),
  Start: timestampField.describe('In the future: it is planned.'),
  End: timestampField,
  Reason: z.string().nullable().describe('Why, for people; null: none was given.'),
  By: z
    .string()
    .nullable()
    .describe('Name of the key or person that asked for it; null: a schedule, or not known.'),
} as const;

/** A maintenance of one device, as the device shows it. */
export const deviceMaintenance = z.strictObject(shared).meta({ id: 'DeviceMaintenance' });

/** A maintenance of the account. */
export const maintenanceRecord = z
  .strictObject({
    ...shared,
    Devices: z
      .array(idField)
      .describe(`Its devices, at most ${maxDevices} of them, in the order of creation.`),
    DeviceCount: z.int().describe('How many devices it has.'),
  })
  .meta({ id: 'Maintenance' });

/** A maintenance as its device shows it. */
export function showOwnMaintenance(row: MaintenanceRow, zone: Zone): z.input<typeof deviceMaintenance> {
  return {
    maintenance_id: row.maintenance_id,
    Source: row.source === 'schedule' ? 'Schedule' : 'Manual',
    mschedule_id: row.mschedule_id,
    Start: zone.format(row.from_us),
    End: zone.format(row.to_us),
    Reason: row.reason,
    By: row.started_by,
  };
}

/** A maintenance as the list shows it. */
export function showMaintenance(row: MaintenanceRow, zone: Zone): z.input<typeof maintenanceRecord> {
  return { ...showOwnMaintenance(row, zone), Devices: [...row.device_ids], DeviceCount: row.devices };
}
