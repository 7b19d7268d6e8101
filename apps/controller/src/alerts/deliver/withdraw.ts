import type { AlertKind, MessageKind } from '@vantage/alerts';
import { declareShare } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import { releaseFollowers } from './release-notifications.ts';

declareShare({
  name: 'ends_that_were_not_said',
  limit: 'all of a contact',
  filledBy: 'the account',
  share: 'a contact that another worker has is left to it',
});

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

/** `withdraw`, for the step that decides alerts. */
export type Withdraw = typeof withdraw;

/** Messages about the end of an alert: of this kind, with this order key, about alerts of that kind. */
interface EndsToWithdraw {
  readonly orderKey: string;
  readonly alertKind: AlertKind;
  readonly endKind: MessageKind;
  /** `Target` in the facts of the alert; null: an alert with any target. */
  readonly target: string | null;
}

/** The latest alert of whose end some contacts were not notified. */
export interface UnsaidEnd {
  readonly alertNo: number;
  readonly contactIds: readonly string[];
}

/**
 * Withdraws messages of an end that were never attempted, because they are no longer true: those of the latest
 * alert for each of the asks. A message that a worker is claiming now is sent.
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
  return [...Map.groupBy(rows, (row) => row.alert_no)].map(([alertNo, ofAlert]) => ({
    alertNo,
    contactIds: ofAlert.flatMap((row) => row.contact_id ?? []),
  }));
}

/** `withdrawEnds`, for the step that decides alerts. */
export type WithdrawEnds = typeof withdrawEnds;

/** Sets the notifications due that waited for withdrawn ones. */
async function releaseWithdrawn(
  trx: Kysely<Tables>,
  rows: readonly { readonly contact_no: number; readonly order_key: string }[],
  nowUs: number,
): Promise<void> {
  for (const [contactNo, ofContact] of Map.groupBy(rows, (row) => row.contact_no)) {
    const orderKeys = [...new Set(ofContact.map((row) => row.order_key))];
    await releaseFollowers(trx, { contactNo, orderKeys, nowUs });
  }
}
