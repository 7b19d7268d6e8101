import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** Which of the account's open alerts are meant: these, or all that the filter leaves. */
export type Chosen =
  | { readonly alertIds: readonly string[] }
  | {
      readonly kind: string | undefined;
      readonly severity: string | undefined;
      readonly deviceId: string | undefined;
      /** Name or id. */
      readonly tag: string | undefined;
      /** Name or id. */
      readonly location: string | undefined;
    };

/** The action on each alert. Times are microseconds since 1970. */
export type AlertsAction =
  | { readonly kind: 'acknowledge'; readonly by: string; readonly note: string | null }
  | { readonly kind: 'snooze'; readonly untilUs: number };

/** The ids of the open alerts that are meant, oldest first, locked until the transaction ends; `limit` at most. */
export async function lockChosen(
  trx: Kysely<Tables>,
  accountNo: number,
  chosen: Chosen,
  limit: number,
): Promise<string[]> {
  const conditions =
    'alertIds' in chosen
      ? [sql`a.alert_id = any(${chosen.alertIds}::text[])`]
      : [
          ...(chosen.kind === undefined ? [] : [sql`a.kind = ${chosen.kind}`]),
          ...(chosen.severity === undefined ? [] : [sql`a.severity = ${chosen.severity}`]),
          ...(chosen.deviceId === undefined ? [] : [sql`a.device_id = ${chosen.deviceId}`]),
          ...(chosen.tag === undefined
            ? []
            : [
                sql`exists (select from device_tags dt join tags t using (tag_no) where dt.device_no = a.device_no
                  and t.account_no = a.account_no and ${chosen.tag} in (t.tag_id, t.name))`,
              ]),
          ...(chosen.location === undefined
            ? []
            : [
                sql`exists (select from locations l where l.account_no = a.account_no and l.deleted_at is null
                  and ${chosen.location} in (l.location_id, l.name) and (l.location_no = a.location_no
                    or exists (select from device_locations dl where dl.location_no = l.location_no and dl.device_no = a.device_no)))`,
              ]),
        ];
  const { rows } = await sql<{ alert_id: string }>`
    select a.alert_id from alerts a
    where ${sql.join([sql`a.account_no = ${accountNo}::int and a.closed_us is null`, ...conditions], sql` and `)}
    order by a.alert_no limit ${limit} for update of a`.execute(trx);
  return rows.map((row) => row.alert_id);
}

/** Which of these alerts the account has, open or closed. */
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
