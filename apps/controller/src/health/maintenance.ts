import type { EventCause } from '@vantage/health';
import { type Kysely, sql } from 'kysely';
import { lockDevices, type Tables } from '../db/index.ts';
import { type DeviceStatus, statusSql } from '../db/status.ts';
import type { EventDeps } from './event-causes.ts';
import { inTransaction } from './in-transaction.ts';

/**
 * Starts maintenance of a device for `durationUs`. A manual window that is open gets a new end. Works inside a transaction
 * or makes one.
 */
export async function startMaintenance(
  { kysely, recordEvents }: EventDeps,
  request: {
    readonly deviceNo: number;
    readonly accountNo: number;
    readonly durationUs: number;
    readonly nowUs: number;
  },
): Promise<void> {
  const { accountNo, deviceNo, nowUs, durationUs } = request;
  await inTransaction(kysely, async (trx) => {
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
    await recordEvents(
      trx,
      [
        {
          kind: 'maintenance-start',
          accountNo,
          deviceNo,
          isExtension: renewed.length > 0,
          durationUs,
          endedS: before.status === 'Maint' ? null : Math.floor((nowUs - before.sinceUs) / 1_000_000),
        },
      ],
      nowUs,
    );
  });
}

/** Ends all current maintenance windows of a device; nothing happens when there is none. Returns how many ended. */
export async function stopMaintenance(
  { kysely, recordEvents }: EventDeps,
  request: { readonly deviceNo: number; readonly accountNo: number; readonly nowUs: number },
): Promise<number> {
  const { accountNo, deviceNo, nowUs } = request;
  return inTransaction(kysely, async (trx) => {
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
    const endedS = Math.floor((nowUs - before.sinceUs) / 1_000_000);
    await recordEvents(
      trx,
      [{ kind: 'maintenance-end', by: 'user', accountNo, deviceNo, status, atUs: nowUs, endedS }],
      nowUs,
    );
    return ended.length;
  });
}

/**
 * Ends the windows that ran out, each once however many controllers do it. A device that is in another window still gets no
 * event. Returns how many windows ended. `deviceNo` undefined: all devices.
 */
export async function endMaintenance(
  { kysely, recordEvents }: EventDeps,
  nowUs: number,
  deviceNo?: number,
): Promise<number> {
  return inTransaction(kysely, async (trx) => {
    const ended = await markEnded(trx, nowUs, deviceNo);
    const causes = ended.flatMap(({ accountNo, deviceNo, fromUs, toUs, status, isOver }): EventCause[] => {
      const endedS = Math.trunc((toUs - fromUs) / 1_000_000);
      return isOver
        ? [{ kind: 'maintenance-end', by: 'time', accountNo, deviceNo, status, atUs: toUs, endedS }]
        : [];
    });
    await recordEvents(trx, causes, nowUs);
    return ended.reduce((sum, { windows }) => sum + windows, 0);
  });
}

/** A device with windows that ran out. */
interface EndedMaintenance {
  readonly accountNo: number;
  readonly deviceNo: number;
  readonly fromUs: number;
  readonly toUs: number;
  /** The status that users see now. */
  readonly status: DeviceStatus;
  /** Whether no other window of the device goes on. */
  readonly isOver: boolean;
  readonly windows: number;
}

async function markEnded(
  trx: Kysely<Tables>,
  nowUs: number,
  deviceNo: number | undefined,
): Promise<readonly EndedMaintenance[]> {
  const which = deviceNo === undefined ? sql`true` : sql`device_no = ${deviceNo}`;
  const shown = statusSql(nowUs);
  const { rows } = await sql<EndedMaintenance>`
    with ended as (
      update maintenance_windows set end_notified = true
      where not end_notified and to_us <= ${nowUs}::bigint and ${which}
      returning device_no, from_us, to_us
    )
    select d.account_no as "accountNo", e.device_no as "deviceNo", e.from_us as "fromUs", e.to_us as "toUs",
      ${shown.status} as status, e.windows, not exists (
        select 1 from maintenance_windows w
        where w.device_no = e.device_no and w.from_us <= e.to_us and w.to_us > e.to_us) as "isOver"
    from (select device_no, min(from_us) as from_us, max(to_us) as to_us, count(*)::int as windows
      from ended group by device_no) e
    join devices d on d.device_no = e.device_no ${shown.joins}`.execute(trx);
  return rows;
}

/** The status that users see now, and its begin; Unknown for a deleted device. */
async function shownAt(
  trx: Kysely<Tables>,
  deviceNo: number,
  nowUs: number,
): Promise<{ status: DeviceStatus; sinceUs: number }> {
  const { status, sinceUs, joins } = statusSql(nowUs);
  const { rows } = await sql<{ status: DeviceStatus; sinceUs: number }>`
    select ${status} as status, ${sinceUs} as "sinceUs" from devices d ${joins} where d.device_no = ${deviceNo}`.execute(
    trx,
  );
  return rows[0] ?? { status: 'Unknown', sinceUs: nowUs };
}
