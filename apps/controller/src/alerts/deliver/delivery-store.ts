import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Tables } from '../../platform/db/index.ts';
import type { NotificationState } from './notification-state.ts';

/** An attempt to deliver a message, microseconds since 1970, and what its receiver said. */
export interface ShownAttempt {
  readonly atUs: number;
  readonly answer: string;
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

const stored = z.array(z.object({ AtUs: z.number(), Answer: z.string() })).catch([]);
const mostTries = 20;

/** The row `n` with this attempt behind its earlier ones; the oldest leave. */
export function withAttempt(nowUs: number, answer: string) {
  return sql`(case when jsonb_typeof(tries) <> 'array' then '[]' when jsonb_array_length(tries) >= ${sql.lit(mostTries)} then tries - 0 else tries end)
    || jsonb_build_array(jsonb_build_object('AtUs', ${nowUs}::bigint, 'Answer', ${answer}::text))`;
}

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
    select n.notification_no, n.notification_id, a.alert_id, a.device_id, d.short_name, n.kind, n.severity, n.at_us, n.ended_us, n.state,
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
