import { acknowledgeableKinds } from '@vantage/alerts';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/**
 * The message that came with a link: the latest notification of the alert to this contact, and the present state of the
 * alert and its device; undefined when the contact was deleted.
 */
export async function readLinked(
  db: Kysely<Tables>,
  link: { readonly accountNo: number; readonly alertNo: number; readonly contactNo: number },
) {
  const { rows } = await sql<{
    kind: string;
    data: unknown;
    at_us: number;
    contact: string;
    timezone: string;
    status: string | null;
    since_us: number | null;
    closed_us: number | null;
    acknowledged_by: string | null;
  }>`
    select n.kind, n.data, n.at_us, c.name as contact, a.timezone, s.status, s.since_us, l.closed_us, l.acknowledged_by
    from notifications n join contacts c on c.contact_no = n.contact_no join accounts a on a.account_no = n.account_no
      left join alerts l on l.alert_no = n.alert_no left join device_state s on s.device_no = l.device_no
    where n.alert_no = ${link.alertNo} and n.contact_no = ${link.contactNo} and n.account_no = ${link.accountNo}
    order by n.notification_no desc limit 1`.execute(db);
  return rows[0];
}

/**
 * The alerts that a merged message named and that are not closed, with the contact that got it; undefined when there is
 * no such message.
 */
export async function readMerged(
  db: Kysely<Tables>,
  link: { readonly accountNo: number; readonly alertNo: number; readonly contactNo: number },
) {
  const { accountNo, alertNo: leaderNo, contactNo } = link;
  const { rows: leaders } = await sql<{ contact: string }>`
    select c.name as contact from notifications n join contacts c using (contact_no)
    where n.notification_no = ${leaderNo} and n.contact_no = ${contactNo} and n.account_no = ${accountNo}`.execute(
    db,
  );
  const [leader] = leaders;
  if (leader === undefined) return undefined;
  const { rows } = await sql<{ alert_id: string; name: string | null }>`
    select a.alert_id, min(coalesce(n.data ->> 'ShortName', n.data ->> 'Location')) as name
    from notifications n join alerts a on a.alert_no = n.alert_no and a.account_no = ${accountNo} and a.closed_us is null
    where (n.notification_no = ${leaderNo} or n.leader_no = ${leaderNo}) and n.kind = any(${[...acknowledgeableKinds]}::text[])
    group by a.alert_id order by 2, 1`.execute(db);
  return { contact: leader.contact, alerts: rows };
}
