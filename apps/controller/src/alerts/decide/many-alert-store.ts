import { isOneOf, type Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { type AlertStateName, stateAt } from './alert-list-store.ts';

/** The open alerts of the account to act on: these, or all that the filter leaves. */
export type ChosenAlerts =
  | { readonly alertIds: readonly string[] }
  | {
      readonly states: readonly AlertStateName[] | undefined;
      /** The moment of their states. */
      readonly nowUs: number;
      readonly kinds: readonly string[] | undefined;
      readonly severities: readonly string[] | undefined;
      readonly deviceIds: readonly string[] | undefined;
      readonly tagNos: readonly number[] | undefined;
      readonly locationNos: readonly number[] | undefined;
    };

/** The action on each alert. Times are microseconds since 1970. */
export type AlertsAction =
  | { readonly kind: 'acknowledge'; readonly by: string; readonly note: string | null }
  | { readonly kind: 'snooze'; readonly untilUs: number };

/** The ids of the chosen open alerts, oldest first, locked until the transaction ends; `limit` at most. */
export async function lockChosen(
  trx: Kysely<Tables>,
  accountNo: number,
  chosen: ChosenAlerts,
  limit: number,
): Promise<string[]> {
  const conditions = conditionsOf(chosen);
  const { rows } = await sql<{ alert_id: string }>`
    select a.alert_id from alerts a
    where ${sql.join([sql`a.account_no = ${accountNo}::int and a.closed_us is null`, ...conditions], sql` and `)}
    order by a.alert_no limit ${limit} for update of a`.execute(trx);
  return rows.map((row) => row.alert_id);
}

function conditionsOf(chosen: ChosenAlerts): RawBuilder<unknown>[] {
  if ('alertIds' in chosen) return [sql`a.alert_id = any(${chosen.alertIds}::text[])`];
  const { states, nowUs, kinds, severities, deviceIds, tagNos, locationNos } = chosen;
  return [
    ...(states === undefined ? [] : [sql`${stateAt(nowUs)} = any(${states}::text[])`]),
    ...(kinds === undefined ? [] : [isOneOf(sql`a.kind`, kinds, 'text')]),
    ...(severities === undefined ? [] : [isOneOf(sql`a.severity`, severities, 'text')]),
    ...(deviceIds === undefined ? [] : [isOneOf(sql`a.device_id`, deviceIds, 'text')]),
    ...(tagNos === undefined
      ? []
      : [sql`a.device_no in (select device_no from device_tags where tag_no = any(${tagNos}::int[]))`]),
    ...(locationNos === undefined
      ? []
      : [
          sql`(a.location_no = any(${locationNos}::int[])
            or a.device_no in (select device_no from device_locations where location_no = any(${locationNos}::int[])))`,
        ]),
  ];
}

/** The ids of these alerts that the account has, open or closed. */
export async function knownAlerts(
  trx: Kysely<Tables>,
  accountNo: number,
  alertIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ alert_id: string }>`
    select alert_id from alerts where account_no = ${accountNo}::int and alert_id = any(${alertIds}::text[])`.execute(
    trx,
  );
  return new Set(rows.map((row) => row.alert_id));
}

/** Acts on these alerts, which are open and locked, in one statement. */
export async function actOnAlerts(
  trx: Kysely<Tables>,
  alertIds: readonly string[],
  action: AlertsAction,
  nowUs: number,
): Promise<void> {
  const values =
    action.kind === 'acknowledge'
      ? sql`acknowledged_us = ${nowUs}::bigint, acknowledged_by = ${action.by}, acknowledged_note = ${action.note}`
      : sql`snoozed_until_us = ${action.untilUs}::bigint`;
  await sql`update alerts set ${values}, due_us = ${nowUs}::bigint where alert_id = any(${alertIds}::text[])`.execute(
    trx,
  );
}
