import { contactTypeOf, contactTypes } from '@vantage/alerts';
import { hourUs } from '@vantage/domain';
import { type Logger, messageOf } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import type { Transaction } from 'kysely';
import type { TimeScale } from '../../config/time-scale.ts';
import type { Channel, ComposedMessage } from '../channels/channel.ts';
import type { Channels } from '../channels/channel-registry.ts';
import { freshGroups, isPaused, type MessageGroup, summaryOf } from './claim-groups.ts';
import { lockContact, readContact, storeGrouping, storeSeen } from './claim-store.ts';
import { shadowAnswer } from './enqueue.ts';
import { type FreeRow, freeRows } from './free-notifications.ts';
import { withReply } from './message-reply.ts';
import { dayOf, noticesOf, type ReadDay } from './notices.ts';
import { endUnsent, lease, lockUnsent, postponeNotifications } from './notification-lease.ts';
import { type OnFailed, reportFailed } from './record-attempt.ts';
import { releaseFollowers } from './release-notifications.ts';

/** A notification that this worker may send now, for the time of its lease. */
export interface Claimed {
  readonly no: number;
  readonly id: string;
  readonly token: string;
  readonly contactNo: number;
  readonly channel: Channel;
  readonly contact: NonNullable<Awaited<ReturnType<typeof readContact>>>;
  readonly message: unknown;
  readonly firstAttemptUs: number;
  readonly accountNo: number;
}

export interface ClaimDeps {
  readonly channels: Channels;
  readonly log: Logger;
  readonly timeScale: TimeScale;
  readonly newToken: () => string;
  readonly onFailed: OnFailed;
  readonly readDay: ReadDay;
}

/**
 * Claims up to `slots` messages of a contact in one transaction: decides which leave, composes those that were never
 * attempted, and stores them with the attempt and the lease. Empty when another worker has the contact.
 */
export async function claim(
  trx: Transaction<Tables>,
  ask: { readonly contactNo: number; readonly slots: number; readonly nowUs: number },
  deps: ClaimDeps,
): Promise<readonly Claimed[]> {
  const { contactNo, nowUs } = ask;
  const health = await lockContact(trx, contactNo);
  if (health === undefined) return [];
  await storeSeen(trx, contactNo);
  const contact = await readContact(trx, contactNo);
  if (contact === undefined) {
    const nos = await lockUnsent(trx, contactNo);
    await endUnsent(trx, { nos, state: 'Withdrawn', answer: 'the contact was deleted', nowUs });
    return [];
  }
  // The contact was put into shadow after the decision.
  if (contact.shadow) {
    const nos = await lockUnsent(trx, contactNo);
    await endUnsent(trx, { nos, state: 'Shadow', answer: shadowAnswer, nowUs });
    return [];
  }
  const channel = channelOf(deps.channels, contact.type);
  const type = contactTypeOf(contact.type);
  if (type === undefined || channel === undefined) {
    deps.log.warn({ contact_id: contact.contact_id, type: contact.type }, 'a contact has no channel');
    await postponeNotifications(trx, await lockUnsent(trx, contactNo), nowUs + hourUs);
    return [];
  }
  const { isPerEvent, isChat } = contactTypes[type];
  if (isChat && isPaused(health.grouping, nowUs, deps.timeScale)) return [];
  const slots = isChat ? Math.min(1, ask.slots) : ask.slots;
  const attempted = await freeRows(trx, { ...ask, areAttempted: true, limit: slots });
  if (!isPerEvent) {
    const summary = await summaryOf(trx, { contactNo, nowUs, attempted }, deps.timeScale);
    if (summary !== undefined) {
      await storeGrouping(trx, contactNo, { lastUs: nowUs });
      const leased = await leaseGroup(trx, { ...summary, contact, contactNo, channel, nowUs }, deps);
      return leased === undefined ? [] : [leased];
    }
  }
  const fresh = await freshGroups(trx, ask, {
    slots: slots - attempted.length,
    isPerEvent,
    grouping: health.grouping,
    timeScale: deps.timeScale,
  });
  const claimed: Claimed[] = [];
  for (const [leader, ...members] of [...attempted.map((row): MessageGroup => [row]), ...fresh]) {
    const leased = await leaseGroup(trx, { leader, members, contact, contactNo, channel, nowUs }, deps);
    if (leased !== undefined) claimed.push(leased);
  }
  if (isChat && claimed.length > 0) await storeGrouping(trx, contactNo, { lastUs: nowUs });
  return claimed;
}

/** The channel of a type of contact; undefined for a type of a later version. */
export function channelOf(channels: Channels, typeName: string): Channel | undefined {
  const type = contactTypeOf(typeName);
  return type && channels[type];
}

interface LeasedGroup {
  readonly leader: FreeRow;
  readonly members: readonly FreeRow[];
  readonly contact: Claimed['contact'];
  readonly contactNo: number;
  readonly channel: Channel;
  readonly nowUs: number;
  /** The message is a summary of notifications of which the oldest waited for this time, seconds. */
  readonly waitedS?: number;
}

async function leaseGroup(
  trx: Transaction<Tables>,
  group: LeasedGroup,
  deps: ClaimDeps,
): Promise<Claimed | undefined> {
  const { leader, members, contact, contactNo, channel, nowUs } = group;
  const no = leader.notification_no;
  // A summary replaces messages that were certainly not accepted.
  const isNew = leader.message === null || group.waitedS !== undefined;
  let message = leader.message;
  if (isNew) {
    const day = await dayOf(group, deps.readDay);
    let composed: ComposedMessage;
    try {
      composed = channel.compose(noticesOf(group, day), contact.options);
    } catch (error) {
      deps.log.error({ notification_id: leader.notification_id, error: messageOf(error) }, cannotCompose);
      await giveUp(trx, group, deps.onFailed);
      return undefined;
    }
    const ask = { rows: [leader, ...members], contactNo, contact };
    message = channel.canReply ? await withReply(trx, composed, ask) : composed;
  }
  const token = deps.newToken();
  const memberNos = members.map((row) => row.notification_no);
  const text = isNew ? JSON.stringify(message) : null;
  await lease(trx, { no, memberNos, message: text, token, nowUs });
  const firstAttemptUs = leader.first_attempt_us ?? nowUs;
  return {
    no,
    id: leader.notification_id,
    token,
    contactNo,
    channel,
    contact,
    message,
    firstAttemptUs,
    accountNo: contact.account_no,
  };
}

const cannotCompose = 'a message cannot be composed: its notification is given up';

/** Ends notifications whose message cannot be composed, as if the receiver had refused them for good. */
async function giveUp(trx: Transaction<Tables>, group: LeasedGroup, onFailed: OnFailed): Promise<void> {
  const { leader, members, contact, contactNo, nowUs } = group;
  const rows = [leader, ...members];
  const reason = 'the message cannot be composed';
  const nos = rows.map((row) => row.notification_no);
  await endUnsent(trx, { nos, state: 'Failed', answer: reason, nowUs });
  await releaseFollowers(trx, { contactNo, orderKeys: rows.map((row) => row.order_key), nowUs });
  await reportFailed(trx, rows, { accountNo: contact.account_no, contactNo, reason, nowUs }, onFailed);
}
