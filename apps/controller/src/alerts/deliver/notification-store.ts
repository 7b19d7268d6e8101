import type { AlertKind, MessageKind, NewNotification } from '@vantage/alerts';
import { declareShare, newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { publish, type Tables } from '../../platform/db/index.ts';
import type { NotificationState } from './notification-state.ts';
import { releaseFollowers } from './record.ts';

declareShare({
  name: 'ends_that_were_not_said',
  limit: 'all of a contact',
  filledBy: 'the account',
  share: 'a contact that another worker has is left to it',
});

/** The answer of a notification that is recorded only. */
export const shadowAnswer = 'the contact is in shadow, so nothing was sent';

/**
 * Stores notifications in the transaction of the decision and wakes the workers at its commit. They are delivered in
 * the order of the rows. A contact that does not exist at the first attempt gets none; those of a contact in shadow are
 * recorded and never sent.
 */
export async function enqueue(
  trx: Kysely<Tables>,
  rows: readonly NewNotification[],
  nowUs: number,
): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map((row, ord) => ({ ...row, ord, id: newId() }));
  await sql`
    insert into notifications (notification_id, account_no, contact_no, alert_no, order_key, kind, severity, step, data, at_us, created_us, due_us,
      state, ended_us, answer)
    select g.id, g."accountNo", g."contactNo", g."alertNo", g."orderKey", g.kind, g.severity, g.step, g.data, g."atUs", ${nowUs}, ${nowUs},
      case when c.shadow then 'Shadow' else 'Pending' end, case when c.shadow then ${nowUs}::bigint end,
      case when c.shadow then ${shadowAnswer} end
    from jsonb_to_recordset(${JSON.stringify(values)}::jsonb) as g (ord int, id text, "accountNo" int, "contactNo" int, "alertNo" bigint,
      "orderKey" text, kind text, severity text, step int, data jsonb, "atUs" bigint)
      left join contacts c on c.contact_no = g."contactNo"
    order by g.ord`.execute(trx);
  const contactNos = [...new Set(rows.map(({ contactNo }) => contactNo))].sort((a, b) => a - b);
  await sql`
    insert into contact_health (contact_no, account_no)
    select g."contactNo", min(g."accountNo") from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g ("contactNo" int, "accountNo" int)
    group by 1 order by 1 on conflict do nothing`.execute(trx);
  await publish(trx, 'notifications', { contact_nos: contactNos });
}

/**
 * Stores a message once more, as a new one that is due now. Returns its id; undefined: the message or its contact does
 * not exist.
 */
export async function repeatNotification(
  trx: Kysely<Tables>,
  notificationNo: number,
  nowUs: number,
): Promise<string | undefined> {
  const id = newId();
  const { rows } = await sql<{ contact_no: number }>`
    insert into notifications (notification_id, account_no, contact_no, alert_no, order_key, kind, severity, step, data, at_us, created_us, due_us,
      state, ended_us, answer)
    select ${id}, n.account_no, n.contact_no, n.alert_no, n.order_key, n.kind, n.severity, n.step, n.data, n.at_us, ${nowUs}::bigint, ${nowUs}::bigint,
      case when c.shadow then 'Shadow' else 'Pending' end, case when c.shadow then ${nowUs}::bigint end,
      case when c.shadow then ${shadowAnswer} end
    from notifications n join contacts c using (contact_no) where n.notification_no = ${notificationNo}::bigint
    returning contact_no`.execute(trx);
  if (rows.length === 0) return undefined;
  await publish(trx, 'notifications', { contact_nos: rows.map((row) => row.contact_no) });
  return id;
}

/**
 * Notifications of an alert to withdraw; `repeatsOf`: only those of this kind that are not the first one to their
 * contact.
 */
interface Withdrawal {
  readonly alertNo: number;
  readonly repeatsOf: AlertKind | null;
}

/**
 * Withdraws notifications that were never attempted, in the transaction of the decision. Call it before `enqueue`: it
 * locks the contacts, so that no worker claims the notifications meanwhile.
 */
export async function withdraw(
  trx: Kysely<Tables>,
  asks: readonly Withdrawal[],
  nowUs: number,
): Promise<void> {
  if (asks.length === 0) return;
  const unsent = sql`
    notifications n join jsonb_to_recordset(${JSON.stringify(asks)}::jsonb) as g ("alertNo" bigint, "repeatsOf" text)
      on n.alert_no = g."alertNo"
    where n.state = 'Pending' and n.attempts = 0 and (g."repeatsOf" is null or (n.kind = g."repeatsOf" and exists (
      select from notifications e where e.alert_no = n.alert_no and e.contact_no = n.contact_no and e.kind = n.kind
        and e.notification_no < n.notification_no)))`;
  const { rows: contacts } = await sql`
    select from contact_health where contact_no in (select n.contact_no from ${unsent}) order by contact_no for update`.execute(
    trx,
  );
  if (contacts.length === 0) return;
  const { rows } = await sql<{ contact_no: number; order_key: string }>`
    update notifications set state = 'Withdrawn', ended_us = ${nowUs}
    where notification_no in (select n.notification_no from ${unsent}) returning contact_no, order_key`.execute(
    trx,
  );
  await releaseWithdrawn(trx, rows, nowUs);
}

/** Messages of an end: those of this kind of alerts of that kind, with this order key. */
interface EndsToWithdraw {
  readonly orderKey: string;
  readonly alertKind: AlertKind;
  readonly endKind: MessageKind;
  /** `Target` in the facts of the alert; null: any. */
  readonly target: string | null;
}

/** The latest alert whose end some contacts did not hear of. */
export interface UnsaidEnd {
  readonly alertNo: number;
  readonly contactIds: readonly string[];
}

/**
 * Withdraws messages of an end that were never attempted, because what they say is not true any more: those of the
 * latest alert for each of the asks. A message that a worker claims at this moment goes out.
 */
export async function withdrawEnds(
  trx: Kysely<Tables>,
  asks: readonly EndsToWithdraw[],
  nowUs: number,
): Promise<readonly UnsaidEnd[]> {
  if (asks.length === 0) return [];
  const unsaid = sql`
    notifications n join alerts a using (alert_no)
      join jsonb_to_recordset(${JSON.stringify(asks)}::jsonb) as g ("orderKey" text, "alertKind" text, "endKind" text, target text)
        on n.order_key = g."orderKey" and n.kind = g."endKind" and a.kind = g."alertKind"
        and (g.target is null or a.opening ->> 'Target' = g.target)
    where n.state = 'Pending' and n.attempts = 0 and n.leader_no is null
      and n.kind in ('device.up', 'location.online', 'anchor.up')`;
  const { rows: found } = await sql<{ notification_no: number; contact_no: number }>`
    select notification_no, contact_no from (
      select n.notification_no, n.contact_no, n.alert_no = max(n.alert_no) over (partition by g."orderKey", a.kind, g.target) as latest
      from ${unsaid}) f where latest`.execute(trx);
  if (found.length === 0) return [];
  const contactNos = found.map((row) => row.contact_no);
  const { rows: free } = await sql<{ contact_no: number }>`
    select contact_no from contact_health where contact_no = any(${contactNos}::int[]) order by contact_no for update skip locked`.execute(
    trx,
  );
  const { rows } = await sql<{
    contact_no: number;
    order_key: string;
    alert_no: number;
    contact_id: string | null;
  }>`
    update notifications n set state = 'Withdrawn', ended_us = ${nowUs}, answer = 'it began again before this was sent'
    where n.notification_no = any(${found.map((row) => row.notification_no)}::bigint[])
      and n.contact_no = any(${free.map((row) => row.contact_no)}::int[]) and n.state = 'Pending' and n.attempts = 0
    returning n.contact_no, n.order_key, n.alert_no,
      (select c.contact_id from contacts c where c.contact_no = n.contact_no) as contact_id`.execute(trx);
  await releaseWithdrawn(trx, rows, nowUs);
  return [...Map.groupBy(rows, (row) => row.alert_no)].map(([alertNo, of]) => ({
    alertNo,
    contactIds: of.flatMap((row) => row.contact_id ?? []),
  }));
}

/** Lets what waited for withdrawn notifications leave. */
async function releaseWithdrawn(
  trx: Kysely<Tables>,
  rows: readonly { readonly contact_no: number; readonly order_key: string }[],
  nowUs: number,
): Promise<void> {
  for (const [contactNo, of] of Map.groupBy(rows, (row) => row.contact_no)) {
    const orderKeys = [...new Set(of.map((row) => row.order_key))];
    await releaseFollowers(trx, { contactNo, orderKeys, nowUs });
  }
}

/** An attempt to deliver a message, microseconds since 1970, and what its receiver said. */
export interface ShownAttempt {
  readonly atUs: number;
  readonly answer: string;
}

const stored = z.array(z.object({ AtUs: z.number(), Answer: z.string() })).catch([]);

/** The attempts of a stored notification. An earlier version stored only how many there were and the last answer. */
export function attemptsOf(row: {
  readonly tries: unknown;
  readonly attempts: number;
  readonly first_attempt_us: number | null;
  readonly ended_us: number | null;
  readonly answer: string | null;
}): readonly ShownAttempt[] {
  const known = stored.parse(row.tries).map(({ AtUs, Answer }) => ({ atUs: AtUs, answer: Answer }));
  const atUs = row.ended_us ?? row.first_attempt_us;
  if (known.length > 0 || row.attempts === 0 || row.answer === null || atUs === null) return known;
  return [{ atUs, answer: row.answer }];
}

/** A message of an alert, for people. */
interface AlertNotification {
  readonly contact_id: string;
  /** Of the contact. */
  readonly name: string;
  readonly kind: string;
  /** Of its schedule, from 1; null: it came by no step. */
  readonly step: number | null;
  /** When it was decided. */
  readonly atUs: number;
  readonly state: NotificationState;
  readonly attempts: readonly ShownAttempt[];
}

/** The state of each notification of these alerts, oldest first. Notifications to deleted contacts are left out. */
export async function notificationsOf(db: Kysely<Tables>, alertNos: readonly number[]) {
  const { rows } = await sql<
    Omit<AlertNotification, 'atUs' | 'attempts'> & { alert_no: number; at_us: number } & Parameters<
        typeof attemptsOf
      >[0]
  >`
    select n.alert_no, c.contact_id, c.name, n.kind, n.step, n.at_us, n.state, n.attempts, n.tries, n.first_attempt_us, n.ended_us, n.answer
    from notifications n join contacts c using (contact_no)
    where n.alert_no = any(${alertNos}::bigint[]) order by n.notification_no`.execute(db);
  const found = new Map<number, AlertNotification[]>();
  for (const row of rows) {
    const { alert_no, contact_id, name, kind, step, at_us, state } = row;
    const list = found.get(alert_no) ?? [];
    list.push({ contact_id, name, kind, step, atUs: at_us, state, attempts: attemptsOf(row) });
    found.set(alert_no, list);
  }
  return found;
}

/** A message to a contact. */
export interface DeliveryRow {
  readonly notification_no: number;
  readonly notification_id: string;
  readonly alert_id: string | null;
  readonly device_id: string | null;
  readonly short_name: string | null;
  readonly kind: string;
  readonly severity: string;
  readonly at_us: number;
  readonly ended_us: number | null;
  readonly state: NotificationState;
  /** The message that this one was merged into. */
  readonly leader_id: string | null;
  readonly attempts: readonly ShownAttempt[];
}

/** Messages to a contact, the newest first, one more than `limit` to know whether there are more. */
export async function listDeliveries(
  db: Kysely<Tables>,
  page: {
    readonly contactNo: number;
    /** The message with this id only. */
    readonly deliveryId?: string | undefined;
    readonly beforeNo?: number | undefined;
    readonly limit: number;
    readonly offset: number;
  },
): Promise<readonly DeliveryRow[]> {
  const { contactNo, deliveryId, beforeNo, limit, offset } = page;
  const { rows } = await sql<Omit<DeliveryRow, 'attempts'> & Parameters<typeof attemptsOf>[0]>`
    select n.notification_no, n.notification_id, a.alert_id, a.device_id,
      coalesce(d.short_name, a.gone_short_name) as short_name, n.kind, n.severity, n.at_us, n.ended_us, n.state,
      n.tries, n.attempts, n.first_attempt_us, n.answer,
      (select l.notification_id from notifications l where l.notification_no = n.leader_no) as leader_id
    from notifications n left join alerts a using (alert_no) left join devices d on d.device_no = a.device_no
    where n.contact_no = ${contactNo}::int ${deliveryId === undefined ? sql`` : sql`and n.notification_id = ${deliveryId}`}
      ${beforeNo === undefined ? sql`` : sql`and n.notification_no < ${beforeNo}::bigint`}
    order by n.notification_no desc limit ${limit + 1} offset ${offset}`.execute(db);
  return rows.map((row) => ({ ...row, attempts: attemptsOf(row) }));
}

/** The number of the account's contact with this id. */
export async function findContactNo(
  db: Kysely<Tables>,
  accountNo: number,
  contactId: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('contacts')
    .select('contact_no')
    .where('contact_id', '=', contactId)
    .where('account_no', '=', accountNo)
    .executeTakeFirst();
  return row?.contact_no;
}
