import { flappingWindowUs, type RecentOutages } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { pipelined, type Row, type Tables } from '../db/index.ts';
import { readAlertState, readFacts, readKind, readSeverity } from './alert-row.ts';
import type { ChangedDevice, OpenAlert } from './apply-changes.ts';

/** Devices and Locations whose alerts a transaction changes. */
export interface Concerned {
  readonly deviceNos: readonly number[];
  readonly locationNos: readonly number[];
}

type DeviceRow = RecentOutages &
  Pick<ChangedDevice, 'deviceNo' | 'deviceId' | 'shortName' | 'fullName'> & { severity: string };

/** These devices, by number. `windowUs` is the time in which ended outages count as flapping. */
export async function changedDevices(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
  windowUs = flappingWindowUs,
): Promise<Map<number, ChangedDevice>> {
  if (deviceNos.length === 0) return new Map();
  const { rows } = await sql<DeviceRow>`
    select d.device_no as "deviceNo", d.device_id as "deviceId", d.short_name as "shortName", d.full_name as "fullName", d.severity,
      e.count, e."activeUs", e."sinceUs", e."downUs"
    from devices d, lateral (
      select count(*)::int as count, min(a.active_us)::bigint as "activeUs", min(a.since_us)::bigint as "sinceUs",
        coalesce(sum(greatest(0, coalesce((a.ending ->> 'At')::bigint, a.closed_us) - a.since_us)), 0)::bigint as "downUs"
      from alerts a where a.device_no = d.device_no and a.kind = 'device.down' and a.ended_up
        and a.active_us > ${nowUs - windowUs}::bigint) e
    where d.device_no = any(${deviceNos}::int[])`.execute(trx);
  return new Map(
    rows.map(({ deviceNo, deviceId, shortName, fullName, severity, ...recent }) => [
      deviceNo,
      { deviceNo, deviceId, shortName, fullName, severity: readSeverity(severity), recent },
    ]),
  );
}

/** An open alert as it is stored. */
type OpenAlertRow = Pick<
  Row<'alerts'>,
  | 'alert_no'
  | 'kind'
  | 'account_no'
  | 'device_no'
  | 'location_no'
  | 'agent_no'
  | 'severity'
  | 'since_us'
  | 'state'
  | 'opening'
>;

/** The open alerts of these devices and Locations, locked until the transaction ends. */
export async function lockOpenAlerts(
  trx: Kysely<Tables>,
  { deviceNos, locationNos }: Concerned,
): Promise<OpenAlertRow[]> {
  return trx
    .selectFrom('alerts')
    .select(['alert_no', 'kind', 'account_no', 'device_no', 'location_no', 'agent_no', 'severity'])
    .select(['since_us', 'state', 'opening'])
    .where('closed_us', 'is', null)
    .where(
      sql<boolean>`(device_no = any(${deviceNos}::int[]) or (device_no is null and location_no = any(${locationNos}::int[])))`,
    )
    .orderBy('alert_no')
    .forUpdate()
    .execute();
}

/** The alerts of these rows, with those of these devices that they concern. A row of a kind that only a later version knows is none. Pure. */
export function openAlerts(
  rows: readonly OpenAlertRow[],
  devices: ReadonlyMap<number, ChangedDevice>,
  nowUs: number,
): OpenAlert[] {
  return rows.flatMap((row): OpenAlert[] => {
    const kind = readKind(row.kind);
    if (kind === undefined) return [];
    return [
      {
        ...{ alertNo: row.alert_no, kind, accountNo: row.account_no, severity: readSeverity(row.severity) },
        device: row.device_no === null ? null : (devices.get(row.device_no) ?? null),
        ...{ locationNo: row.location_no, agentNo: row.agent_no, sinceUs: row.since_us },
        ...{ state: readAlertState(row.state, nowUs), opening: readFacts(row.opening), ending: null },
        ...{ closedUs: null, endedUp: false, dueUs: nowUs },
      },
    ];
  });
}

/** Inserts new alerts, and updates those that changed. */
export async function writeAlerts(
  trx: Kysely<Tables>,
  alerts: readonly OpenAlert[],
  nowUs: number,
): Promise<void> {
  const rows = alerts.map((alert) => ({
    ...{ alert_id: newId(), account_no: alert.accountNo, kind: alert.kind },
    ...{ device_no: alert.device?.deviceNo ?? null, device_id: alert.device?.deviceId ?? null },
    ...{ location_no: alert.locationNo, agent_no: alert.agentNo, severity: alert.severity },
    ...{ opened_us: nowUs, since_us: alert.sinceUs, closed_us: alert.closedUs, ended_up: alert.endedUp },
    ...{ state: JSON.stringify(alert.state), opening: JSON.stringify(alert.opening), due_us: alert.dueUs },
    ending: alert.ending === null ? null : JSON.stringify(alert.ending),
  }));
  const fresh = rows.filter((_row, place) => alerts[place]?.alertNo === null);
  const changed = alerts.flatMap(({ alertNo, state, opening, ending, closedUs, endedUp, dueUs }) =>
    alertNo === null ? [] : [{ alertNo, state, opening, ending, closedUs, endedUp, dueUs }],
  );
  // Together, so that both stand before what a pipelined caller sends next.
  await pipelined(trx, (pipe) => [
    ...(fresh.length > 0 ? [pipe.insertInto('alerts').values(fresh).execute()] : []),
    ...(changed.length > 0 ? [updateAlerts(pipe, changed)] : []),
  ]);
}

async function updateAlerts(
  trx: Kysely<Tables>,
  changed: readonly Pick<
    OpenAlert,
    'alertNo' | 'state' | 'opening' | 'ending' | 'closedUs' | 'endedUp' | 'dueUs'
  >[],
): Promise<void> {
  await sql`
    update alerts a set state = g.state, opening = g.opening, ending = coalesce(g.ending, a.ending),
      closed_us = g."closedUs", ended_up = g."endedUp", due_us = g."dueUs"
    from jsonb_to_recordset(${JSON.stringify(changed)}::jsonb) as g ("alertNo" bigint, state jsonb, opening jsonb,
      ending jsonb, "closedUs" bigint, "endedUp" boolean, "dueUs" bigint)
    where a.alert_no = g."alertNo"`.execute(trx);
}

/**
 * Lets the alerts of these devices' dependents be decided at once. One that is being decided meanwhile is left out, because waiting for
 * it could deadlock; it is decided again soon in any case.
 */
export async function touchDependents(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<void> {
  if (deviceNos.length === 0) return;
  await sql`
    update alerts set due_us = ${nowUs}::bigint where alert_no in (
      select a.alert_no from alerts a join devices d on d.device_no = a.device_no
      where d.master_no = any(${deviceNos}::int[]) and a.closed_us is null
        and a.phase in ('judging', 'suppressed', 'confirming')
      order by a.alert_no for update of a skip locked)`.execute(trx);
}

/** Lets the alerts that wait for this run request be decided at once. */
export async function touchRequested(db: Kysely<Tables>, requestId: string, nowUs: number): Promise<void> {
  await sql`update alerts set due_us = ${nowUs}::bigint where request_id = ${requestId} and closed_us is null`.execute(
    db,
  );
}
