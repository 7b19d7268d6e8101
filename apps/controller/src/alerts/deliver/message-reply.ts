import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { ComposedMessage } from '../channels/channel.ts';
import { updatedUs } from './contact-health.ts';
import type { FreeRow } from './free-notifications.ts';

/** A contact. A changed `updated_us` means that it was edited, and may be another chat. */
interface RepliedContact {
  readonly updated_us: number;
}

const storedReply = z.object({ reply: z.object({ to: z.string(), contactUs: z.number() }) });

/**
 * The message to which a message about these alerts replies, given the first message that its receiver got about each
 * alert. A message about several alerts replies only where they have the same first message; null: it replies to none.
 * Pure.
 */
export function answeredBy(
  alertNos: readonly (number | null)[],
  firsts: ReadonlyMap<number, string>,
): string | null {
  const answered = new Set(alertNos.map((no) => (no === null ? undefined : firsts.get(no))));
  const [first] = answered;
  return answered.size === 1 && first !== undefined ? first : null;
}

/** Adds the message to reply to. It is stored with the message, so that every attempt replies to the same one. */
export async function withReply(
  trx: Kysely<Tables>,
  message: ComposedMessage,
  ask: {
    readonly rows: readonly Pick<FreeRow, 'alert_no'>[];
    readonly contactNo: number;
    readonly contact: RepliedContact;
  },
): Promise<ComposedMessage> {
  const { rows, contactNo, contact } = ask;
  const alertNos = [...new Set(rows.map((row) => row.alert_no))];
  const to = answeredBy(alertNos, await firstMessages(trx, contactNo, alertNos));
  return to === null ? message : { ...message, reply: { to, contactUs: contact.updated_us } };
}

/** The message to which a stored message replies; null: none, or the contact was edited since. */
export function replyOf(message: unknown, contact: RepliedContact): string | null {
  const { reply } = storedReply.safeParse(message).data ?? {};
  return reply !== undefined && reply.contactUs === contact.updated_us ? reply.to : null;
}

async function firstMessages(
  trx: Kysely<Tables>,
  contactNo: number,
  alertNos: readonly (number | null)[],
): Promise<ReadonlyMap<number, string>> {
  const nos = alertNos.filter((no) => no !== null);
  if (nos.length === 0) return new Map();
  const { rows } = await sql<{ alert_no: number; receiver_message: string }>`
    select distinct on (n.alert_no) n.alert_no, n.receiver_message
    from notifications n join contacts c using (contact_no)
    where n.alert_no = any(${nos}::bigint[]) and n.contact_no = ${contactNo} and n.receiver_message is not null
      and n.receiver_contact_us = ${updatedUs}
    order by n.alert_no, n.notification_no`.execute(trx);
  return new Map(rows.map((row) => [row.alert_no, row.receiver_message]));
}
