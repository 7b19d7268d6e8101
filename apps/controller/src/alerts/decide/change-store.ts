import {
  type AlertKind,
  type AlertState,
  type Facts,
  flappingWindowUs,
  type PastOutage,
} from '@vantage/alerts';
import type { Severity } from '@vantage/domain';
import { declareShare, newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { pipelined, type Row, type Tables } from '../../platform/db/index.ts';
import { readAlertState, readFacts, readKind, readPast, readSeverity } from './alert-facts.ts';

declareShare({
  name: 'alerts_behind_a_master',
  limit: 'all of a device',
  filledBy: 'the account',
  share: 'the alerts of one device',
});

/** A device as a new alert needs it. */
export interface ChangedDevice {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly shortName: string;
  readonly fullName: string | null;
  readonly severity: Severity;
  /** Confirmed outages of it that ended within the time in which three of them are flapping, each with its alert. */
  readonly recent: readonly (PastOutage & { readonly alertNo: number })[];
}

/** An open alert, as it is or as it will be inserted (`alertNo` null). */
export interface OpenAlert {
  readonly alertNo: number | null;
  readonly kind: AlertKind;
  readonly accountNo: number;
  readonly device: ChangedDevice | null;
  locationNo: number | null;
  agentNo: number | null;
  severity: Severity;
  sinceUs: number;
  state: AlertState;
  opening: Facts;
  ending: Facts | null;
  endedUp: boolean;
  /** It begins anew, because what it is about is there again and nobody heard that it was over. */
  isReopened: boolean;
  dueUs: number | null;
}

/**
 * The key of an open alert within its account. A Location may have alerts of several anchors; their Targets
 * differ.
 */
export function alertKey({
  kind,
  device,
  locationNo,
  opening,
}: {
  readonly kind: AlertKind;
  readonly device: { readonly deviceNo: number } | null;
  readonly locationNo: number | null;
  readonly opening: Facts;
}): string {
  if (device !== null) return `${kind}/device/${device.deviceNo}`;
  const anchor = kind === 'anchor.down' ? `/${JSON.stringify(opening['Target'])}` : '';
  return `${kind}/location/${locationNo}${anchor}`;
}

/** Devices and Locations whose alerts a transaction changes. */
export interface Concerned {
  readonly deviceNos: readonly number[];
  readonly locationNos: readonly number[];
}

type DeviceRow = Omit<ChangedDevice, 'severity' | 'recent'> & {
  readonly severity: string;
  readonly ended: readonly {
    readonly alertNo: number;
    /** Null: only outages before its last one were confirmed. */
    readonly activeUs: number | null;
    readonly sinceUs: number;
    readonly upUs: number;
    readonly past: unknown;
  }[];
};

/** A device with more outages than that within the window flaps in any case. */
const mostRecent = 10;

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
      coalesce((select jsonb_agg(e) from (
        select a.alert_no as "alertNo", a.active_us as "activeUs", a.since_us as "sinceUs",
          coalesce((a.ending ->> 'At')::bigint, a.closed_us, a.since_us) as "upUs",
          a.state -> 'past' as past
        from alerts a where a.device_no = d.device_no and a.kind = 'device.down' and a.ended_up
          and coalesce(a.active_us, a.since_us) > ${nowUs - windowUs}::bigint
        order by a.alert_no desc limit ${mostRecent}) e), '[]') as ended
    from devices d where d.device_no = any(${deviceNos}::int[])`.execute(trx);
  return new Map(
    rows.map(({ ended, severity, ...device }) => [
      device.deviceNo,
      {
        ...device,
        severity: readSeverity(severity),
        recent: ended.flatMap(({ alertNo, activeUs, sinceUs, upUs, past }) =>
          [...readPast(past), ...(activeUs === null ? [] : [{ activeUs, sinceUs, upUs }])].map((outage) => ({
            ...outage,
            alertNo,
          })),
        ),
      },
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
  | 'ending'
  | 'ended_up'
>;

/** The open alerts of these devices and Locations, locked until the transaction ends. */
export async function lockOpenAlerts(
  trx: Kysely<Tables>,
  { deviceNos, locationNos }: Concerned,
): Promise<OpenAlertRow[]> {
  return locked(trx)
    .where('closed_us', 'is', null)
    .where(
      sql<boolean>`(device_no = any(${deviceNos}::int[]) or (device_no is null and location_no = any(${locationNos}::int[])))`,
    )
    .execute();
}

/** These alerts, open or not, locked until the transaction ends. */
export async function lockAlerts(trx: Kysely<Tables>, alertNos: readonly number[]): Promise<OpenAlertRow[]> {
  return locked(trx).where(sql<boolean>`alert_no = any(${alertNos}::bigint[])`).execute();
}

function locked(trx: Kysely<Tables>) {
  return trx
    .selectFrom('alerts')
    .select(['alert_no', 'kind', 'account_no', 'device_no', 'location_no', 'agent_no', 'severity'])
    .select(['since_us', 'state', 'opening', 'ending', 'ended_up'])
    .orderBy('alert_no')
    .forUpdate();
}

/**
 * The alerts of these rows, with those of these devices that they concern. A row of a kind that only a later version
 * knows is none. Pure.
 */
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
        alertNo: row.alert_no,
        kind,
        accountNo: row.account_no,
        severity: readSeverity(row.severity),
        device: row.device_no === null ? null : (devices.get(row.device_no) ?? null),
        locationNo: row.location_no,
        agentNo: row.agent_no,
        sinceUs: row.since_us,
        state: readAlertState(row.state, nowUs),
        opening: readFacts(row.opening),
        ending: row.ending === null ? null : readFacts(row.ending),
        endedUp: row.ended_up,
        isReopened: false,
        dueUs: nowUs,
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
  const fresh = alerts
    .filter(({ alertNo }) => alertNo === null)
    .map((alert) => ({
      alert_id: newId(),
      account_no: alert.accountNo,
      kind: alert.kind,
      device_no: alert.device?.deviceNo ?? null,
      device_id: alert.device?.deviceId ?? null,
      location_no: alert.locationNo,
      agent_no: alert.agentNo,
      severity: alert.severity,
      opened_us: nowUs,
      since_us: alert.sinceUs,
      ended_up: alert.endedUp,
      state: JSON.stringify(alert.state),
      opening: JSON.stringify(alert.opening),
      ending: alert.ending === null ? null : JSON.stringify(alert.ending),
      due_us: alert.dueUs,
    }));
  const changed = alerts.filter(({ alertNo }) => alertNo !== null);
  // Together, so that both stand before what a pipelined caller sends next.
  await pipelined(trx, (pipe) => [
    ...(fresh.length > 0 ? [pipe.insertInto('alerts').values(fresh).execute()] : []),
    ...(changed.length > 0 ? [updateAlerts(pipe, changed)] : []),
  ]);
}

/** One that begins anew is open again, and nobody acknowledged or snoozed it. */
async function updateAlerts(trx: Kysely<Tables>, changed: readonly OpenAlert[]): Promise<void> {
  const rows = changed.map(({ device: _device, ...alert }) => alert);
  await sql`
    update alerts a set state = g.state, opening = g.opening, ending = g.ending, ended_up = g."endedUp", due_us = g."dueUs",
      severity = g.severity, since_us = g."sinceUs", location_no = g."locationNo", agent_no = g."agentNo",
      reason = case when a.phase = g.state ->> 'phase' and not g."isReopened" then a.reason end,
      closed_us = case when not g."isReopened" then a.closed_us end,
      acknowledged_us = case when not g."isReopened" then a.acknowledged_us end,
      acknowledged_by = case when not g."isReopened" then a.acknowledged_by end,
      acknowledged_note = case when not g."isReopened" then a.acknowledged_note end,
      snoozed_until_us = case when not g."isReopened" then a.snoozed_until_us end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g ("alertNo" bigint, state jsonb, opening jsonb, ending jsonb,
      "endedUp" boolean, "dueUs" bigint, severity text, "sinceUs" bigint, "locationNo" int, "agentNo" int, "isReopened" boolean)
    where a.alert_no = g."alertNo"`.execute(trx);
}

/**
 * Lets the alerts of these devices' dependents be decided at once. One that is being decided meanwhile is left out,
 * because waiting for it could deadlock; it is decided again soon in any case.
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
