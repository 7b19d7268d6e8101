import { publish, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** Sets the first notification of each of these keys due, because the one that it waited for has ended. */
export async function releaseFollowers(
  trx: Kysely<Tables>,
  ask: { readonly contactNo: number; readonly orderKeys: readonly string[]; readonly nowUs: number },
): Promise<void> {
  const { contactNo, orderKeys, nowUs } = ask;
  await sql`
    update notifications set due_us = ${nowUs}
    where notification_no = any(array(
        select (
          select n.notification_no from notifications n
          where n.contact_no = ${contactNo} and n.order_key = k.key and n.state = 'Pending'
          order by n.notification_no limit 1)
        from unnest(${orderKeys}::text[]) k (key)))
      and leader_no is null and attempts = 0 and due_us > ${nowUs}`.execute(trx);
}

/**
 * Releases the attempted notifications of a contact that can be reached again: they are due now, or as soon as its
 * receiver permits. Notifications that were first attempted before `firstFailedUs` stay: they were refused,
 * released and refused again while the contact accepted others, so it refuses these in particular.
 */
export async function releaseAttempted(
  trx: Kysely<Tables>,
  contactNo: number,
  nowUs: number,
  firstFailedUs = 0,
): Promise<void> {
  await sql`
    update notifications set due_us = greatest(${nowUs}, coalesce(not_before_us, 0))
    where contact_no = ${contactNo} and state = 'Pending' and leader_no is null and attempts > 0 and due_us > ${nowUs}
      and first_attempt_us > ${firstFailedUs}::bigint`.execute(trx);
}

/** All mails that were tried in vain become due, because there is another mail server. */
export async function releaseMails(trx: Kysely<Tables>, nowUs: number): Promise<void> {
  const { rows } = await sql<{ contact_no: number }>`
    update notifications n set due_us = ${nowUs} from contacts c
    where c.contact_no = n.contact_no and c.type = 'email'
      and n.state = 'Pending' and n.leader_no is null and n.attempts > 0 and n.due_us > ${nowUs}
    returning n.contact_no`.execute(trx);
  await sql`update mails set due_us = ${nowUs} where attempts > 0 and due_us > ${nowUs}`.execute(trx);
  const contactNos = [...new Set(rows.map(({ contact_no }) => contact_no))];
  await publish(trx, 'notifications', { contact_nos: contactNos });
}
