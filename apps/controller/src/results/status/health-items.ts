import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** All Locations. */
export async function locationNumbers(db: Kysely<Tables>): Promise<number[]> {
  const rows = await db.selectFrom('locations').select('location_no').execute();
  return rows.map((row) => row.location_no);
}

/** Devices with a maintenance window that ran out and whose end has no event yet. */
export async function devicesInMaintenance(db: Kysely<Tables>, nowUs: number): Promise<number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select distinct device_no from maintenance_windows where not end_notified and to_us <= ${nowUs}::bigint`.execute(
    db,
  );
  return rows.map((row) => row.device_no);
}

/** Devices that have a maintenance schedule, or windows of one. */
export async function scheduledDevices(db: Kysely<Tables>): Promise<number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select device_no from devices where mschedule_no is not null union select device_no from device_schedules`.execute(
    db,
  );
  return rows.map((row) => row.device_no);
}

/** Devices with a planned window that began and whose begin has no event yet. */
export async function devicesEnteringMaintenance(db: Kysely<Tables>, nowUs: number): Promise<number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select distinct device_no from maintenance_windows where not start_notified and from_us <= ${nowUs}::bigint`.execute(
    db,
  );
  return rows.map((row) => row.device_no);
}
