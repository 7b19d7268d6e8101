import { type DeviceStatus, secondUs } from '@vantage/domain';
import type { EventCause } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { statusSql } from '@vantage/storage/device-status';
import { type Kysely, sql } from 'kysely';
import type { EventDeps } from './event-causes.ts';
import { inTransaction } from './in-transaction.ts';

/**
 * Records the start of planned windows, each once, even if several controllers run. A device that is already in another
 * window gets no event. Returns the number of windows that began. `deviceNo` undefined: all devices.
 */
export async function beginMaintenance(
  { kysely, recordEvents }: EventDeps,
  nowUs: number,
  deviceNo?: number,
): Promise<number> {
  return inTransaction(kysely, async (trx) => {
    const begun = await setBegun(trx, nowUs, deviceNo);
    const causes: EventCause[] = [];
    for (const window of begun.filter(({ isFirst }) => isFirst)) {
      const { accountNo, fromUs, toUs, reason, source } = window;
      const { sinceUs } = await shownAt(trx, window.deviceNo, fromUs - 1);
      causes.push({
        kind: 'maintenance-start',
        accountNo,
        deviceNo: window.deviceNo,
        isExtension: false,
        by: source === 'schedule' ? 'schedule' : 'time',
        atUs: fromUs,
        durationUs: toUs - fromUs,
        reason,
        endedS: Math.max(0, Math.floor((fromUs - sinceUs) / secondUs)),
      });
    }
    await recordEvents(trx, causes, nowUs);
    return begun.length;
  });
}

/** A planned window that began. */
interface BegunWindow {
  readonly accountNo: number;
  readonly deviceNo: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly source: string;
  readonly reason: string | null;
  /** Whether the device was in no other window when it began. */
  readonly isFirst: boolean;
}

async function setBegun(
  trx: Kysely<Tables>,
  nowUs: number,
  deviceNo: number | undefined,
): Promise<readonly BegunWindow[]> {
  const which = deviceNo === undefined ? sql`true` : sql`device_no = ${deviceNo}`;
  const { rows } = await sql<BegunWindow>`
    with begun as (
      update maintenance_windows set start_notified = true
      where not start_notified and from_us <= ${nowUs}::bigint and ${which}
      returning window_no, device_no, from_us, to_us, source, reason
    )
    select d.account_no as "accountNo", b.device_no as "deviceNo", b.from_us as "fromUs", b.to_us as "toUs",
      b.source, b.reason, b.to_us > b.from_us and not exists (
        select 1 from maintenance_windows w where w.device_no = b.device_no and w.window_no <> b.window_no
          and w.from_us <= b.from_us and w.to_us >= b.from_us
          and (w.from_us < b.from_us or w.window_no < b.window_no)) as "isFirst"
    from begun b join devices d on d.device_no = b.device_no order by b.from_us, b.window_no`.execute(trx);
  return rows;
}

/**
 * Ends the windows of schedules with EndOnFirstOk in which these devices had a good check after a bad one, at the end
 * of that good check. The caller holds the devices' locks.
 */
export async function endOnFirstOk(
  trx: Kysely<Tables>,
  good: readonly { readonly deviceNo: number; readonly atUs: number }[],
): Promise<void> {
  if (good.length === 0) return;
  const { rows: open } = await sql<{ windowNo: number; deviceNo: number; fromUs: number; atUs: number }>`
    select w.window_no as "windowNo", w.device_no as "deviceNo", w.from_us as "fromUs", g.at_us as "atUs"
    from unnest(${good.map(({ deviceNo }) => deviceNo)}::int[], ${good.map(({ atUs }) => atUs)}::bigint[]) as g (device_no, at_us)
    join maintenance_windows w on w.device_no = g.device_no and w.end_on_first_ok and w.from_us <= g.at_us and w.to_us > g.at_us`.execute(
    trx,
  );
  if (open.length === 0) return;
  await sql`
    with failed as (
      select distinct g.window_no, g.at_us
      from unnest(${open.map(({ windowNo }) => windowNo)}::bigint[], ${open.map(({ deviceNo }) => deviceNo)}::int[],
        ${open.map(({ fromUs }) => fromUs)}::bigint[], ${open.map(({ atUs }) => atUs)}::bigint[])
        as g (window_no, device_no, from_us, at_us)
      join checks c on c.device_no = g.device_no and c.start_us >= g.from_us and c.start_us < g.at_us and c.code not in (1, 9, 10))
    update maintenance_windows w set to_us = greatest(f.at_us, w.from_us)
    from failed f where w.window_no = f.window_no`.execute(trx);
}

/**
 * Ends the windows that ran out, each once however many controllers do it. A device that is in another window still
 * gets no event. Returns how many windows ended. `deviceNo` undefined: all devices.
 */
export async function endMaintenance(
  { kysely, recordEvents }: EventDeps,
  nowUs: number,
  deviceNo?: number,
): Promise<number> {
  return inTransaction(kysely, async (trx) => {
    const ended = await setEnded(trx, nowUs, deviceNo);
    const causes = ended.flatMap(({ accountNo, deviceNo, fromUs, toUs, status, isOver }): EventCause[] => {
      const endedS = Math.trunc((toUs - fromUs) / secondUs);
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
  /** Whether no other window of the device is open. */
  readonly isOver: boolean;
  readonly windows: number;
}

async function setEnded(
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
      returning window_no, device_no, from_us, to_us
    )
    select d.account_no as "accountNo", e.device_no as "deviceNo", e.to_us as "toUs", 1 as windows,
      least(e.from_us, (select min(w.from_us) from maintenance_windows w
        where w.device_no = e.device_no and w.from_us <= e.from_us and w.to_us >= e.from_us)) as "fromUs",
      ${shown.status} as status, not exists (
        select 1 from maintenance_windows w
        where w.device_no = e.device_no and w.window_no <> e.window_no and w.from_us <= e.to_us
          and (w.to_us > e.to_us or (w.to_us = e.to_us and w.window_no > e.window_no))) as "isOver"
    from ended e join devices d on d.device_no = e.device_no ${shown.joins}
    order by e.to_us, e.window_no`.execute(trx);
  return rows;
}

/** The status that users see now, and its begin; Unknown for a deleted device. */
export async function shownAt(
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
