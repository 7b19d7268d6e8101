import { type AlertState, kindsOfLocation } from '@vantage/alerts';
import type { BaseStatus } from '@vantage/domain';
import { declareShare } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../../platform/db/index.ts';

declareShare({
  name: 'alerts_that_are_due',
  limit: '100 in a round',
  filledBy: 'accounts',
  share: 'accounts take turns; one that another worker has locked is passed over',
});

/** An alert that is due, with its subject. */
export type DueAlert = Pick<
  Row<'alerts'>,
  | 'alert_no'
  | 'alert_id'
  | 'account_no'
  | 'kind'
  | 'device_no'
  | 'device_id'
  | 'location_no'
  | 'agent_no'
  | 'severity'
  | 'opened_us'
  | 'since_us'
  | 'closed_us'
  | 'state'
  | 'opening'
  | 'ending'
  | 'reason'
  | 'acknowledged_us'
  | 'acknowledged_by'
  | 'acknowledged_note'
  | 'snoozed_until_us'
>;

/**
 * The numbers of alerts that are due, in turns by account: first the longest due one of each, then the second ones.
 * The alerts of `besides` are left out, so that locked alerts hide no other ones.
 */
export async function dueAlertNos(
  db: Kysely<Tables>,
  nowUs: number,
  { limit, besides = [] }: { readonly limit: number; readonly besides?: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ alert_no: number }>`
    select alert_no from alerts where due_us <= ${nowUs}::bigint and alert_no <> all(${besides}::bigint[])
    order by row_number() over (partition by account_no order by due_us, alert_no), due_us, alert_no
    limit ${limit}`.execute(db);
  return rows.map((row) => row.alert_no);
}

/** Claims those of these alerts that are due. Other controllers pass over them until the transaction ends. */
export async function claimDue(
  trx: Kysely<Tables>,
  alertNos: readonly number[],
  nowUs: number,
): Promise<DueAlert[]> {
  return decidedAlerts(trx)
    .where('due_us', '<=', nowUs)
    .where(sql<boolean>`alert_no = any(${alertNos}::bigint[])`)
    .orderBy('alert_no')
    .forUpdate()
    .skipLocked()
    .execute();
}

/** An alert, open or not, locked until the transaction ends. undefined: there is none. */
export async function lockAlert(trx: Kysely<Tables>, alertNo: number): Promise<DueAlert | undefined> {
  return decidedAlerts(trx).where('alert_no', '=', alertNo).forUpdate().executeTakeFirst();
}

/** Whether a later alert about the same is open. */
export async function isFollowed(trx: Kysely<Tables>, alertNo: number): Promise<boolean> {
  const { rows } = await sql`
    select from alerts a join alerts b on b.account_no = a.account_no and b.kind = a.kind and b.closed_us is null
      and b.alert_no > a.alert_no and b.device_no is not distinct from a.device_no
      and b.location_no is not distinct from case when a.device_no is null then a.location_no else b.location_no end
      and b.opening ->> 'Target' is not distinct from a.opening ->> 'Target'
      and b.opening ->> 'contact_id' is not distinct from a.opening ->> 'contact_id'
    where a.alert_no = ${alertNo}::bigint limit 1`.execute(trx);
  return rows.length > 0;
}

function decidedAlerts(trx: Kysely<Tables>) {
  return trx
    .selectFrom('alerts')
    .select(['alert_no', 'alert_id', 'account_no', 'kind', 'device_no', 'device_id', 'location_no'])
    .select(['agent_no', 'severity', 'opened_us', 'since_us', 'closed_us', 'state', 'opening', 'ending'])
    .select(['reason', 'acknowledged_us', 'acknowledged_by', 'acknowledged_note', 'snoozed_until_us']);
}

/** The columns of an alert that a decision writes. */
export interface DecidedAlert {
  readonly alertNo: number;
  readonly state: AlertState;
  readonly dueUs: number | null;
  readonly reason: string | null;
  readonly sinceUs: number;
  readonly closedUs: number | null;
}

/** Writes decided alerts. */
export async function writeDecided(trx: Kysely<Tables>, alerts: readonly DecidedAlert[]): Promise<void> {
  await sql`
    update alerts a set state = g.state, due_us = g."dueUs", reason = g.reason, since_us = g."sinceUs",
      closed_us = g."closedUs"
    from jsonb_to_recordset(${JSON.stringify(alerts)}::jsonb) as g ("alertNo" bigint, state jsonb, "dueUs" bigint, reason text,
      "sinceUs" bigint, "closedUs" bigint)
    where a.alert_no = g."alertNo"`.execute(trx);
}

/** Lets open alerts of deleted devices, and those about deleted Locations, be decided at once. */
export async function touchOrphans(db: Kysely<Tables>, nowUs: number): Promise<void> {
  await sql`
    update alerts a set due_us = ${nowUs}::bigint
    where a.closed_us is null and (
      (a.device_no is not null and not exists (select 1 from devices d where d.device_no = a.device_no))
      or (a.kind = any(${[...kindsOfLocation]}::text[]) and exists (
        select 1 from locations l where l.location_no = a.location_no and l.deleted_at is not null)))`.execute(
    db,
  );
}

/** Puts off an alert whose decision failed. */
export async function postpone(
  db: Kysely<Tables>,
  alertNos: readonly number[],
  untilUs: number,
): Promise<void> {
  if (alertNos.length === 0) return;
  await sql`update alerts set due_us = ${untilUs}::bigint where alert_no = any(${alertNos}::bigint[])`.execute(
    db,
  );
}

/** The device of an alert with its master, as the database has them now. Times are microseconds. */
export interface SubjectRow {
  readonly alertNo: number;
  readonly method: string;
  readonly url: string;
  readonly shortName: string;
  readonly fullName: string | null;
  readonly severity: string;
  readonly enabled: boolean;
  readonly status: BaseStatus;
  readonly sinceUs: number;
  readonly isChecked: boolean;
  readonly isPartial: boolean;
  readonly maintenanceUntilUs: number | null;
  readonly maintenanceEndedUs: number | null;
  readonly canBeChecked: boolean;
  readonly revision: number;
  readonly timeoutS: number;
  readonly retries: number;
  readonly retryDelayS: number;
  readonly masterNo: number | null;
  readonly masterId: string | null;
  readonly masterName: string;
  readonly masterEnabled: boolean;
  readonly masterStatus: BaseStatus;
  readonly masterRetrying: boolean;
  readonly masterInMaintenance: boolean;
  readonly masterIsCheckedHere: boolean;
  readonly masterCanBeChecked: boolean;
  readonly masterWasDown: boolean;
  readonly masterRevision: number;
  readonly masterTimeoutS: number;
  readonly masterRetries: number;
  readonly masterRetryDelayS: number;
}

/** The devices of these alerts, by alert. A deleted device is left out. */
export async function subjectsOf(
  trx: Kysely<Tables>,
  alerts: readonly DueAlert[],
  nowUs: number,
): Promise<Map<number, SubjectRow>> {
  const alertNos = alerts.flatMap(({ alert_no, device_no }) => (device_no === null ? [] : [alert_no]));
  if (alertNos.length === 0) return new Map();
  const inMaintenance = (device: 'd' | 'm') => sql`exists (select 1 from maintenance_windows w
    where w.device_no = ${sql.ref(`${device}.device_no`)} and w.from_us <= ${nowUs}::bigint and w.to_us > ${nowUs}::bigint)`;
  const { rows } = await sql<SubjectRow>`
    select a.alert_no as "alertNo", d.method, d.url, d.short_name as "shortName", d.full_name as "fullName", d.severity,
      d.enabled, coalesce(s.status, 'Unknown') as status, coalesce(s.since_us, d.created_us) as "sinceUs",
      d.revision, d.timeout_s as "timeoutS", d.retries, d.retry_delay_s as "retryDelayS",
      exists (select 1 from device_locations dl join locations l using (location_no)
        where dl.device_no = d.device_no and l.online) as "isChecked",
      coalesce(jsonb_path_exists(s.state, '$.partial.sequences ? (@ >= 3)', silent => true), false) as "isPartial",
      case when ${inMaintenance('d')} then (select max(w.to_us) from maintenance_windows w
        where w.device_no = d.device_no and w.from_us <= ${nowUs}::bigint) end as "maintenanceUntilUs",
      (select max(w.to_us) from maintenance_windows w
        where w.device_no = d.device_no and w.to_us <= ${nowUs}::bigint) as "maintenanceEndedUs",
      exists (select 1 from assignment_spans p join agents g on g.location_no = p.location_no
        where p.device_no = d.device_no and p.to_us is null and g.state = 'Connected') as "canBeChecked",
      m.device_no as "masterNo", m.device_id as "masterId", coalesce(m.short_name, '') as "masterName",
      coalesce(m.enabled, false) as "masterEnabled", coalesce(ms.status, 'Unknown') as "masterStatus",
      coalesce(ms.retrying, false) as "masterRetrying", ${inMaintenance('m')} as "masterInMaintenance",
      exists (select 1 from device_locations dl where dl.device_no = m.device_no and dl.location_no = a.location_no)
        as "masterIsCheckedHere",
      exists (select 1 from agents g where g.location_no = a.location_no and g.state = 'Connected')
        as "masterCanBeChecked",
      exists (select 1 from status_intervals i where i.device_no = m.device_no and i.status = 'Down'
        and coalesce((select min(n.from_us) from status_intervals n
          where n.device_no = i.device_no and n.from_us > i.from_us), ${Number.MAX_SAFE_INTEGER}::bigint)
          >= (a.state ->> 'judgedFromUs')::bigint) as "masterWasDown",
      coalesce(m.revision, 0) as "masterRevision", coalesce(m.timeout_s, 0) as "masterTimeoutS",
      coalesce(m.retries, 0) as "masterRetries", coalesce(m.retry_delay_s, 0) as "masterRetryDelayS"
    from alerts a join devices d on d.device_no = a.device_no
      left join device_state s on s.device_no = d.device_no
      left join devices m on m.device_no = d.master_no
      left join device_state ms on ms.device_no = m.device_no
    where a.alert_no = any(${alertNos}::bigint[])`.execute(trx);
  return new Map(rows.map((row) => [row.alertNo, row]));
}

/** A notification schedule as it is stored. */
export interface StoredSchedule {
  readonly timezone: string;
  readonly steps: unknown;
}

/**
 * The stored schedules of each of these alerts: the device's or the Location's, else the account's; of a Location
 * where neither has one, those of its devices. An alert without one is left out.
 */
export async function schedulesOf(
  trx: Kysely<Tables>,
  alertNos: readonly number[],
): Promise<Map<number, readonly StoredSchedule[]>> {
  const { rows } = await sql<StoredSchedule & { alertNo: number }>`
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

/** A contact that can be notified; `notify` null: of everything. */
export interface ContactRow {
  readonly contactNo: number;
  readonly contactId: string;
  readonly accountNo: number;
  readonly type: string;
  readonly notify: readonly string[] | null;
}

/** These contacts, as far as they exist. */
export async function contactsOf(trx: Kysely<Tables>, contactIds: readonly string[]): Promise<ContactRow[]> {
  if (contactIds.length === 0) return [];
  const rows = await trx
    .selectFrom('contacts')
    .select(['contact_no', 'contact_id', 'account_no', 'type', 'notify'])
    .where(sql<boolean>`contact_id = any(${contactIds}::text[])`)
    .execute();
  return rows.map((row) => ({
    contactNo: row.contact_no,
    contactId: row.contact_id,
    accountNo: row.account_no,
    type: row.type,
    notify: row.notify,
  }));
}

/** These Locations, by number; also deleted ones. */
export async function locationsOf(
  trx: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<Map<number, { readonly name: string; readonly isDeleted: boolean }>> {
  if (locationNos.length === 0) return new Map();
  const rows = await trx
    .selectFrom('locations')
    .select(['location_no', 'name', 'deleted_at'])
    .where(sql<boolean>`location_no = any(${locationNos}::int[])`)
    .execute();
  return new Map(
    rows.map((row) => [row.location_no, { name: row.name, isDeleted: row.deleted_at !== null }]),
  );
}
