import { type AlertState, kindsOfLocation } from '@vantage/alerts';
import { type Kysely, sql } from 'kysely';
import type { Row, Tables } from '../../platform/db/index.ts';

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

/** The numbers of alerts that are due, oldest first. */
export async function dueAlertNos(db: Kysely<Tables>, nowUs: number, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom('alerts')
    .select('alert_no')
    .where('due_us', '<=', nowUs)
    .orderBy('due_us')
    .orderBy('alert_no')
    .limit(limit)
    .execute();
  return rows.map((row) => row.alert_no);
}

/** Claims those of these alerts that are due. Other controllers pass over them until the transaction ends. */
export async function claimDue(
  trx: Kysely<Tables>,
  alertNos: readonly number[],
  nowUs: number,
): Promise<DueAlert[]> {
  return trx
    .selectFrom('alerts')
    .select(['alert_no', 'alert_id', 'account_no', 'kind', 'device_no', 'device_id', 'location_no'])
    .select([
      'agent_no',
      'severity',
      'opened_us',
      'since_us',
      'closed_us',
      'state',
      'opening',
      'ending',
      'reason',
    ])
    .select(['acknowledged_us', 'acknowledged_by', 'acknowledged_note', 'snoozed_until_us'])
    .where('due_us', '<=', nowUs)
    .where(sql<boolean>`alert_no = any(${alertNos}::bigint[])`)
    .orderBy('alert_no')
    .forUpdate()
    .skipLocked()
    .execute();
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
