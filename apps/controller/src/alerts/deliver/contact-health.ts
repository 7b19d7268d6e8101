import { publish, type Tables } from '@vantage/storage';
import { type Kysely, sql, type Transaction } from 'kysely';
import { releaseAttempted } from './release-notifications.ts';

/** Locks the contact, waiting for another worker. */
export async function lockHealth(trx: Kysely<Tables>, contactNo: number) {
  const { rows } = await sql<{
    account_no: number;
    failures: number;
    failing_since_us: number | null;
    failed_us: number | null;
    accepted_us: number | null;
  }>`
    select account_no, failures, failing_since_us, failed_us, accepted_us from contact_health
    where contact_no = ${contactNo} for update`.execute(trx);
  return rows[0];
}

/** The time of the latest edit of the contact `c`. */
export const updatedUs = sql<number>`(extract(epoch from c.updated_at) * 1e6)::bigint`;

/** Failing contacts that were edited since their latest claim. */
export async function editedContacts(db: Kysely<Tables>): Promise<readonly number[]> {
  const { rows } = await sql<{ contact_no: number }>`
    select h.contact_no from contact_health h join contacts c using (contact_no)
    where h.failing_since_us is not null and h.contact_seen_us < ${updatedUs} order by h.contact_no`.execute(
    db,
  );
  return rows.map((row) => row.contact_no);
}

/** Releases what waits for a contact that was edited; its next claim uses the contact as it is then. */
export async function releaseEdited(trx: Kysely<Tables>, contactNo: number, nowUs: number): Promise<void> {
  await sql`
    update contact_health h set contact_seen_us = ${updatedUs} from contacts c
    where h.contact_no = ${contactNo} and c.contact_no = h.contact_no`.execute(trx);
  await releaseAttempted(trx, contactNo, nowUs);
}

/** Stores whether the contact can be reached. */
export async function storeHealth(
  trx: Kysely<Tables>,
  contactNo: number,
  health: {
    readonly failures: number;
    readonly failingSinceUs: number | null;
    readonly failedUs: number | null;
    readonly answer: string | null;
    /** The contact accepted a message now; absent: it did not. */
    readonly acceptedUs?: number;
  },
): Promise<void> {
  await trx
    .updateTable('contact_health')
    .set({
      failures: health.failures,
      failing_since_us: health.failingSinceUs,
      failed_us: health.failedUs,
      last_answer: health.answer,
      ...(health.acceptedUs === undefined ? {} : { accepted_us: health.acceptedUs }),
    })
    .where('contact_no', '=', contactNo)
    .execute();
}

/** Records that the contact accepted a message outside the queue: waiting messages leave at once. */
export async function recordReached(
  trx: Transaction<Tables>,
  contactNo: number,
  nowUs: number,
): Promise<void> {
  const health = await lockHealth(trx, contactNo);
  if (health === undefined || health.failures === 0) return;
  await storeHealth(trx, contactNo, { failures: 0, failingSinceUs: null, failedUs: null, answer: null });
  await releaseAttempted(trx, contactNo, nowUs);
  await publish(trx, 'notifications', { contact_nos: [contactNo] });
}
