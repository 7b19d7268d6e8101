import { type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { dbFailure, doEach, quarantine, type Refused, type Tables } from '../../platform/db/index.ts';

/**
 * Does a job for all items in one statement. When the database refuses the data of one item, the job is done item by
 * item, and an item that is refused again is quarantined with the reason. Rejects when the database is away.
 */
export async function allOrEach<T>(
  db: Kysely<Tables>,
  work: {
    readonly all: () => Promise<readonly T[]>;
    readonly items: () => Promise<readonly number[]>;
    readonly one: (item: number) => Promise<readonly T[]>;
  },
  named: { readonly job: string; readonly item: string; readonly nowUs: number; readonly log: Logger },
): Promise<T[]> {
  try {
    return [...(await work.all())];
  } catch (error) {
    if (dbFailure(error) === 'retry') throw error;
    named.log.debug({ job: named.job, error: messageOf(error) }, 'a job goes on item by item');
  }
  const results: T[] = [];
  const refused: Refused<string>[] = [];
  for (const item of await work.items()) {
    const failed = await doEach([item], async () => {
      results.push(...(await work.one(item)));
    });
    refused.push(...failed.map(({ error }) => ({ item: `${named.item} ${item}`, error })));
  }
  await quarantine(db, refused, named);
  return results;
}

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
