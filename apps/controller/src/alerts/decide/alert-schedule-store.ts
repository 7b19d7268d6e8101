import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A notification schedule as it is stored. */
export interface StoredNotificationSchedule {
  readonly timezone: string;
  readonly steps: unknown;
}

/**
 * The stored schedules of each of these alerts: the schedule of the device or the Location, else the account's. Where a
 * Location and its account have none: those of its devices. An alert without a schedule is left out.
 */
export async function schedulesOf(
  trx: Kysely<Tables>,
  alertNos: readonly number[],
): Promise<Map<number, readonly StoredNotificationSchedule[]>> {
  const { rows } = await sql<StoredNotificationSchedule & { alertNo: number }>`
    select a.alert_no as "alertNo", n.timezone, n.steps
    from alerts a join accounts c on c.account_no = a.account_no
      left join devices d on d.device_no = a.device_no
      left join locations l on l.location_no = a.location_no and a.device_no is null,
      lateral (
        select coalesce(d.nschedule_no, l.nschedule_no, c.nschedule_no) as nschedule_no
        union
        select v.nschedule_no from device_locations dl join devices v on v.device_no = dl.device_no
        where a.device_no is null and dl.location_no = a.location_no and v.nschedule_no is not null
          and coalesce(l.nschedule_no, c.nschedule_no) is null
      ) s join nschedules n on n.nschedule_no = s.nschedule_no
    where a.alert_no = any(${alertNos}::bigint[])
    order by a.alert_no, n.nschedule_no`.execute(trx);
  return Map.groupBy(rows, (row) => row.alertNo);
}
