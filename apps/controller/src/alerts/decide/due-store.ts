import { type AlertState, kindsOfLocation } from '@vantage/alerts';
import { declareShare } from '@vantage/kernel';
import type { Row, Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

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
 * The numbers of alerts that are due, in turns by account: first the longest due alert of each, then the second ones.
 * The alerts of `except` are left out, so that locked alerts hide no others.
 */
export async function dueAlertNos(
  db: Kysely<Tables>,
  nowUs: number,
  { limit, except = [] }: { readonly limit: number; readonly except?: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ alert_no: number }>`
    select alert_no from alerts where due_us <= ${nowUs}::bigint and alert_no <> all(${except}::bigint[])
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

/** Postpones alerts whose decision failed. */
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
