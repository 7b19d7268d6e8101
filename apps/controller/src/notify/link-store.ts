import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';

/** What the receiver of a link got with it: the latest notification of the alert to this contact; undefined when the contact was deleted. */
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
  }>`
    select n.kind, n.data, n.at_us, c.name as contact, a.timezone
    from notifications n join contacts c on c.contact_no = n.contact_no join accounts a on a.account_no = n.account_no
    where n.alert_no = ${link.alertNo} and n.contact_no = ${link.contactNo} and n.account_no = ${link.accountNo}
    order by n.notification_no desc limit 1`.execute(db);
  return rows[0];
}
