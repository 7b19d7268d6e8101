import type { NewNotification } from '@vantage/alerts';
import { newId } from '@vantage/kernel';
import { publish, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The answer of a notification that is recorded and not sent. */
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

/** `enqueue`, for the step that decides alerts. */
export type Enqueue = typeof enqueue;

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
