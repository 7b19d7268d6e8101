import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** An alert of an account to act on. */
interface AlertAction {
  readonly accountNo: number;
  readonly alertId: string;
  readonly nowUs: number;
}

/** The outcome of an action: `missing` where the account has no such alert. */
export type AlertActionOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'closed' };

/**
 * Acknowledges an open alert: it sends no further messages about the outage, only the one about its end. A second
 * acknowledgement replaces the first one.
 */
export async function acknowledge(
  trx: Kysely<Tables>,
  { by, note, ...action }: AlertAction & { readonly by: string; readonly note: string | null },
): Promise<AlertActionOutcome> {
  return change(
    trx,
    action,
    sql`acknowledged_us = ${action.nowUs}::bigint, acknowledged_by = ${by}, acknowledged_note = ${note}`,
  );
}

/** Acknowledges the open ones of these alerts in one statement. Returns their number. */
export async function acknowledgeMany(
  trx: Kysely<Tables>,
  ask: {
    readonly accountNo: number;
    readonly alertIds: readonly string[];
    readonly by: string;
    readonly note: string | null;
    readonly nowUs: number;
  },
): Promise<number> {
  const { accountNo, alertIds, by, note, nowUs } = ask;
  const { rows } = await sql`
    with found as (
      select alert_no from alerts where alert_id = any(${alertIds}::text[]) and account_no = ${accountNo} and closed_us is null
      order by alert_no for update)
    update alerts a set acknowledged_us = ${nowUs}::bigint, acknowledged_by = ${by}, acknowledged_note = ${note}, due_us = ${nowUs}::bigint
    from found f where a.alert_no = f.alert_no returning a.alert_no`.execute(trx);
  return rows.length;
}

/**
 * Takes an acknowledgement or a snooze back: steps whose time has come are sent, and a later acknowledgement is told
 * again.
 */
export async function reopen(trx: Kysely<Tables>, action: AlertAction): Promise<AlertActionOutcome> {
  return change(
    trx,
    action,
    sql`acknowledged_us = null, acknowledged_by = null, acknowledged_note = null, snoozed_until_us = null,
      state = a.state || '{"announcedAcknowledgement": false}'::jsonb`,
  );
}

/** Snoozes an open alert: messages that it would send before `untilUs` are sent then. */
export async function snooze(
  trx: Kysely<Tables>,
  { untilUs, ...action }: AlertAction & { readonly untilUs: number },
): Promise<AlertActionOutcome> {
  return change(trx, action, sql`snoozed_until_us = ${untilUs}::bigint`);
}

async function change(
  trx: Kysely<Tables>,
  { accountNo, alertId, nowUs }: AlertAction,
  values: ReturnType<typeof sql>,
): Promise<AlertActionOutcome> {
  const { rows } = await sql<{ isDone: boolean }>`
    with found as (select alert_no, closed_us from alerts where alert_id = ${alertId} and account_no = ${accountNo} for update),
      changed as (update alerts a set ${values}, due_us = ${nowUs}::bigint from found f
        where a.alert_no = f.alert_no and f.closed_us is null returning a.alert_no)
    select exists (select 1 from changed c where c.alert_no = f.alert_no) as "isDone" from found f`.execute(
    trx,
  );
  const [row] = rows;
  if (row === undefined) return { kind: 'missing' };
  return row.isDone ? { kind: 'done' } : { kind: 'closed' };
}

/** The name of an API key, or its id where it has none. */
export async function nameOfKey(trx: Kysely<Tables>, keyNo: number): Promise<string> {
  const row = await trx
    .selectFrom('api_keys')
    .select(['key_id', 'name'])
    .where('key_no', '=', keyNo)
    .executeTakeFirstOrThrow();
  return row.name === '' ? row.key_id : row.name;
}
