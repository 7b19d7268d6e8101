import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { lockDevices, type NewRow, type Tables } from '../db/index.ts';
import { type DeviceStatus, statusSql } from '../db/status.ts';

/** 48 random hex characters, made where the row is made. */
export const sqlNewId = sql`replace(gen_random_uuid()::text, '-', '') || left(replace(gen_random_uuid()::text, '-', ''), 16)`;

/**
 * Starts maintenance of a device for `durationUs`; a manual window that is open gets its end anew. Works inside a
 * transaction or makes one.
 */
export async function startMaintenance(
  db: Kysely<Tables>,
  request: {
    readonly deviceNo: number;
    readonly accountNo: number;
    readonly durationUs: number;
    readonly nowUs: number;
  },
): Promise<void> {
  const { deviceNo, nowUs, durationUs } = request;
  await inTransaction(db, async (trx) => {
    await lockDevices(trx, [deviceNo]);
    const before = await shownAt(trx, deviceNo, nowUs);
    const renewed = await trx
      .updateTable('maintenance_windows')
      .set({ to_us: nowUs + durationUs, end_notified: false })
      .where('device_no', '=', deviceNo)
      .where('source', '=', 'manual')
      .where('from_us', '<=', nowUs)
      .where('to_us', '>', nowUs)
      .returning('window_no')
      .execute();
    if (renewed.length === 0) {
      await trx
        .insertInto('maintenance_windows')
        .values({ device_no: deviceNo, from_us: nowUs, to_us: nowUs + durationUs })
        .execute();
    }
    const minutes = Math.round(durationUs / 60_000_000);
    const text =
      renewed.length === 0 ? `Maintenance for ${minutes} min` : `Maintenance goes on for ${minutes} min`;
    await trx
      .insertInto('events')
      .values(
        maintenanceEvent({
          ...request,
          type: 'MaintStart',
          status: 'Maint',
          message: text,
          durationS: before.status === 'Maint' ? null : Math.floor((nowUs - before.sinceUs) / 1_000_000),
        }),
      )
      .execute();
  });
}

/** Ends all current maintenance windows of a device; nothing happens when there is none. Returns how many ended. */
export async function stopMaintenance(
  db: Kysely<Tables>,
  request: { readonly deviceNo: number; readonly accountNo: number; readonly nowUs: number },
): Promise<number> {
  const { deviceNo, nowUs } = request;
  return inTransaction(db, async (trx) => {
    await lockDevices(trx, [deviceNo]);
    const before = await shownAt(trx, deviceNo, nowUs);
    const ended = await trx
      .updateTable('maintenance_windows')
      .set({ to_us: nowUs, end_notified: true })
      .where('device_no', '=', deviceNo)
      .where('from_us', '<=', nowUs)
      .where('to_us', '>', nowUs)
      .returning('window_no')
      .execute();
    if (ended.length === 0) return 0;
    const { status } = await shownAt(trx, deviceNo, nowUs);
    await trx
      .insertInto('events')
      .values(
        maintenanceEvent({
          ...request,
          type: 'MaintEnd',
          status,
          message: 'Maintenance stopped',
          durationS: Math.floor((nowUs - before.sinceUs) / 1_000_000),
        }),
      )
      .execute();
    return ended.length;
  });
}

/**
 * Tells the end of windows that ran out, each once however many controllers ask; a device still in another window is not
 * told of. Returns how many windows ended. `deviceNo` undefined: all devices.
 */
export async function endMaintenance(db: Kysely<Tables>, nowUs: number, deviceNo?: number): Promise<number> {
  const which = deviceNo === undefined ? sql`true` : sql`device_no = ${deviceNo}`;
  const { rows } = await sql<{ ended: number }>`
    with ended as (
      update maintenance_windows set end_notified = true
      where not end_notified and to_us <= ${nowUs}::bigint and ${which}
      returning device_no, from_us, to_us
    ), told as (
      insert into events (event_id, account_no, device_no, at_us, type, status, message, duration_s, late, recorded_us)
      select ${sqlNewId}, d.account_no, e.device_no, e.to_us, 'MaintEnd', ${statusSql(nowUs).status},
        'Maintenance ended', (e.to_us - e.from_us) / 1000000, false, ${nowUs}::bigint
      from (select device_no, min(from_us) as from_us, max(to_us) as to_us from ended group by device_no) e
      join devices d on d.device_no = e.device_no
      where not exists (
        select 1 from maintenance_windows w
        where w.device_no = e.device_no and w.from_us <= e.to_us and w.to_us > e.to_us)
    )
    select count(*)::int as ended from ended`.execute(db);
  return rows[0]?.ended ?? 0;
}

/** What the device shows now, and since when; a device that is gone shows nothing. */
async function shownAt(
  trx: Kysely<Tables>,
  deviceNo: number,
  nowUs: number,
): Promise<{ status: DeviceStatus; sinceUs: number }> {
  const { status, sinceUs } = statusSql(nowUs);
  const row = await trx
    .selectFrom('devices as d')
    .select([status.as('status'), sinceUs.as('sinceUs')])
    .where('d.device_no', '=', deviceNo)
    .executeTakeFirst();
  return row ?? { status: 'Unknown', sinceUs: nowUs };
}

function maintenanceEvent(event: {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly nowUs: number;
  readonly type: 'MaintStart' | 'MaintEnd';
  readonly status: string;
  readonly message: string;
  readonly durationS: number | null;
}): NewRow<'events'> {
  return {
    event_id: newId(),
    account_no: event.accountNo,
    device_no: event.deviceNo,
    at_us: event.nowUs,
    type: event.type,
    status: event.status,
    location_no: null,
    check_result: null,
    check_id: null,
    message: event.message,
    duration_s: event.durationS,
    recorded_us: event.nowUs,
  };
}

function inTransaction<T>(db: Kysely<Tables>, work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
