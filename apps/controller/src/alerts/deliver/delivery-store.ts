import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { NotificationState } from './notification-state.ts';

/** An attempt to deliver a message, microseconds since 1970, with the answer of its receiver. */
export interface ShownAttempt {
  readonly atUs: number;
  readonly answer: string;
}

const stored = z.array(z.object({ AtUs: z.number(), Answer: z.string() })).catch([]);

/** The attempts of a stored notification. An earlier version stored only their number and the last answer. */
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
