import { secondUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { type Db, lockDevices, type Reader, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { timelines, uptimes } from './device-uptime.ts';
import type { EventDeps } from './event-causes.ts';
import { inTransaction } from './in-transaction.ts';
import { beginMaintenance, shownAt } from './maintenance-status.ts';
import { cancelOccurrence } from './scheduled-window-store.ts';

/** A request for a manual window. Times are microseconds since 1970. */
interface MaintenanceRequest {
  readonly deviceNo: number;
  readonly accountNo: number;
  readonly durationUs: number;
  /** When it begins; absent, or not after `nowUs`: now. */
  readonly startUs?: number | undefined;
  readonly reason?: string | null | undefined;
  /** Windows of one request share it. Absent: a new id. */
  readonly maintenanceId?: string | undefined;
  /** The name of the caller. */
  readonly by?: string | undefined;
  readonly nowUs: number;
}

/**
 * Starts maintenance of a device for `durationUs`. A manual window that is open gets a new end. One that begins later
 * replaces another that has not begun. Nothing happens where the device was deleted. Works inside a transaction or
 * makes one.
 */
export async function startMaintenance(deps: EventDeps, request: MaintenanceRequest): Promise<void> {
  const { startUs = request.nowUs, nowUs } = request;
  return startUs > nowUs ? planMaintenance(deps, { ...request, startUs }) : startNow(deps, request);
}

/** Locks the device, and keeps it from being deleted until the transaction ends; false: it was deleted. */
async function lockDevice(trx: Kysely<Tables>, deviceNo: number): Promise<boolean> {
  await lockDevices(trx, [deviceNo]);
  const { rows } = await sql`select from devices where device_no = ${deviceNo} for key share`.execute(trx);
  return rows.length > 0;
}

async function planMaintenance(
  { kysely }: EventDeps,
  request: MaintenanceRequest & { readonly startUs: number },
): Promise<void> {
  const { deviceNo, startUs, durationUs, reason = null, nowUs, maintenanceId, by } = request;
  await inTransaction(kysely, async (trx) => {
    if (!(await lockDevice(trx, deviceNo))) return;
    await trx
      .deleteFrom('maintenance_windows')
      .where('device_no', '=', deviceNo)
      .where('source', '=', 'manual')
      .where('from_us', '>', nowUs)
      .execute();
    const span = { from_us: startUs, to_us: startUs + durationUs };
    const origin = { reason, maintenance_id: maintenanceId, started_by: by };
    await trx
      .insertInto('maintenance_windows')
      .values({ device_no: deviceNo, ...span, ...origin, start_notified: false })
      .execute();
  });
}

async function startNow({ kysely, recordEvents }: EventDeps, request: MaintenanceRequest): Promise<void> {
  const { accountNo, deviceNo, nowUs, durationUs, reason = null } = request;
  const origin = { reason, maintenance_id: request.maintenanceId, started_by: request.by };
  await inTransaction(kysely, async (trx) => {
    if (!(await lockDevice(trx, deviceNo))) return;
    await beginMaintenance({ kysely: trx, recordEvents }, nowUs, deviceNo);
    const before = await shownAt(trx, deviceNo, nowUs);
    const renewed = await trx
      .updateTable('maintenance_windows')
      .set({ to_us: nowUs + durationUs, end_notified: false, ...origin })
      .where('device_no', '=', deviceNo)
      .where('source', '=', 'manual')
      .where('from_us', '<=', nowUs)
      .where('to_us', '>', nowUs)
      .returning('window_no')
      .execute();
    if (renewed.length === 0) {
      await trx
        .insertInto('maintenance_windows')
        .values({ device_no: deviceNo, from_us: nowUs, to_us: nowUs + durationUs, ...origin })
        .execute();
    }
    await recordEvents(
      trx,
      [
        {
          kind: 'maintenance-start',
          accountNo,
          deviceNo,
          by: 'user',
          atUs: nowUs,
          reason,
          isExtension: renewed.length > 0 || before.status === 'Maint',
          durationUs,
          endedS: before.status === 'Maint' ? null : Math.floor((nowUs - before.sinceUs) / secondUs),
        },
      ],
      nowUs,
    );
  });
}

/**
 * Ends the current maintenance windows of a device; with `maintenanceId` only those of this maintenance, also when they
 * have not begun. Nothing happens when there is none. Returns how many running windows ended.
 */
export async function stopMaintenance(
  { kysely, recordEvents }: EventDeps,
  request: {
    readonly deviceNo: number;
    readonly accountNo: number;
    readonly maintenanceId?: string | undefined;
    readonly nowUs: number;
  },
): Promise<number> {
  const { accountNo, deviceNo, nowUs, maintenanceId } = request;
  const which =
    maintenanceId === undefined ? sql<boolean>`true` : sql<boolean>`maintenance_id = ${maintenanceId}`;
  return inTransaction(kysely, async (trx) => {
    await lockDevices(trx, [deviceNo]);
    await beginMaintenance({ kysely: trx, recordEvents }, nowUs, deviceNo);
    const before = await shownAt(trx, deviceNo, nowUs);
    if (maintenanceId !== undefined) await dropPlanned(trx, deviceNo, maintenanceId, nowUs);
    const ended = await trx
      .updateTable('maintenance_windows')
      .set({ to_us: nowUs, end_notified: true })
      .where('device_no', '=', deviceNo)
      .where(which)
      .where('from_us', '<=', nowUs)
      .where('to_us', '>', nowUs)
      .returning('window_no')
      .execute();
    if (ended.length === 0) return 0;
    const { status } = await shownAt(trx, deviceNo, nowUs);
    // Another window is open.
    if (status === 'Maint') return ended.length;
    const endedS = Math.floor((nowUs - before.sinceUs) / secondUs);
    await recordEvents(
      trx,
      [{ kind: 'maintenance-end', by: 'user', accountNo, deviceNo, status, atUs: nowUs, endedS }],
      nowUs,
    );
    return ended.length;
  });
}

async function dropPlanned(
  trx: Kysely<Tables>,
  deviceNo: number,
  maintenanceId: string,
  nowUs: number,
): Promise<void> {
  await trx
    .deleteFrom('maintenance_windows')
    .where('device_no', '=', deviceNo)
    .where('maintenance_id', '=', maintenanceId)
    .where('from_us', '>', nowUs)
    .execute();
}

type Deps = Omit<EventDeps, 'kysely'> & { readonly clock: Pick<Clock, 'nowUs'> };
/** The functions of health that the REST API calls: maintenance from now on, and uptime. */
export function createRestHealth({ clock, ...deps }: Deps) {
  return {
    startMaintenance: (db: Db, ask: Omit<Parameters<typeof startMaintenance>[1], 'nowUs'>) =>
      startMaintenance({ ...deps, kysely: db.kysely }, { ...ask, nowUs: clock.nowUs() }),
    stopMaintenance: (db: Db, ask: Omit<Parameters<typeof stopMaintenance>[1], 'nowUs'>) =>
      stopMaintenance({ ...deps, kysely: db.kysely }, { ...ask, nowUs: clock.nowUs() }),
    cancelOccurrence: (db: Db, ask: Omit<Parameters<typeof cancelOccurrence>[1], 'nowUs'>) =>
      inTransaction(db.kysely, (trx) => cancelOccurrence(trx, { ...ask, nowUs: clock.nowUs() })),
    uptimes: ({ kysely }: Reader, ask: Parameters<typeof uptimes>[1]) => uptimes(kysely, ask),
    timelines: (
      { kysely }: Reader,
      ask: Parameters<typeof timelines>[1],
      onSpans: Parameters<typeof timelines>[2],
    ) => timelines(kysely, ask, onSpans),
  };
}
