import { declareShare, newId } from '@vantage/kernel';
import { pipelined, type Row, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { ChangedDevice, OpenAlert } from './open-alert.ts';
import { readAlertState, readFacts, readKind, readSeverity } from './stored-alert-facts.ts';

declareShare({
  name: 'alerts_behind_a_master',
  limit: 'all of a device',
  filledBy: 'the account',
  share: 'the alerts of one device',
});

/** Devices and Locations whose alerts a transaction changes. */
export interface ChangedSubjects {
  readonly deviceNos: readonly number[];
  readonly locationNos: readonly number[];
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
  { deviceNos, locationNos }: ChangedSubjects,
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
 * knows is left out. Pure.
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
  // Together, so that both are sent before the next statement of a pipelined caller.
  await pipelined(trx, (pipe) => [
    ...(fresh.length > 0 ? [pipe.insertInto('alerts').values(fresh).execute()] : []),
    ...(changed.length > 0 ? [updateAlerts(pipe, changed)] : []),
  ]);
}

/** A reopened alert is neither closed nor acknowledged nor snoozed. */
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
