import { contactTypeOf, contactTypes } from '@vantage/alerts';
import { hourUs, minuteUs, secondUs } from '@vantage/domain';
import { type Logger, messageOf } from '@vantage/kernel';
import type { Kysely, Transaction } from 'kysely';
import { z } from 'zod';
import { realTime, type TimeScale } from '../../platform/config/time-scale.ts';
import type { Tables } from '../../platform/db/index.ts';
import type { Channel, Message } from './channels/channel.ts';
import type { Channels } from './channels/registry.ts';
import {
  endUnsent,
  type FreeRow,
  freeRows,
  hold,
  holdOthers,
  lease,
  lockContact,
  mergeableRows,
  readContact,
  storeGrouping,
  storeSeen,
  unsentOf,
  waitingRows,
} from './claim-store.ts';
import { dayOf, noticesOf, type ReadDay, withReply } from './notices.ts';
import { shadowAnswer } from './notification-store.ts';
import { type OnFailed, releaseFollowers, reportFailed } from './record.ts';

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

/** Dependencies of a claim. */
export interface ClaimDeps {
  readonly channels: Channels;
  readonly log: Logger;
  readonly timeScale: TimeScale;
  readonly newToken: () => string;
  readonly onFailed: OnFailed;
  readonly readDay: ReadDay;
}

/** An attempt ends before its lease does. */
export const leaseUs = 40_000_000;

/** When the latest messages to one contact left. Times are microseconds since 1970. */
export interface Grouping {
  /** Begins of the messages of the last minute, oldest first; at most five. */
  readonly recentUs: readonly number[];
  /** The next grouped message may leave then; null: messages leave one by one. */
  readonly groupedUs: number | null;
}

/** The messages that leave now. */
interface GroupingDecision {
  /** So many of the waiting messages leave one by one, oldest first. */
  readonly singles: number;
  /** All waiting messages leave as one. */
  readonly isGrouped: boolean;
  /** The rest waits until then; null: nothing waits. */
  readonly holdUntilUs: number | null;
  readonly next: Grouping;
}

/** Messages to a contact that leave one by one within a minute. */
const singlesAMinute = 5;

/** Nothing was sent yet. */
export const noGrouping: Grouping = { recentUs: [], groupedUs: null };

/**
 * Decides which messages that were never attempted leave now. `createdUs` says when each was made, oldest first; the
 * oldest `singlesAMinute` + 1 of them are enough.
 *
 * | messages of the last minute | waiting | decision |
 * |---|---|---|
 * | fewer than five | any | the oldest leave one by one, until there are five |
 * | five | any | the rest waits until a minute after the first of the five, then leaves as one message |
 * | a grouped one less than a minute ago | any | all wait until that minute is over |
 * | a grouped one a minute ago or more | some since that minute | they leave as one message |
 * | a grouped one a minute ago or more | all came after that minute | as if there had been no grouping |
 *
 * Pure.
 */
export function decideGrouping(
  before: Grouping,
  createdUs: readonly number[],
  { nowUs, timeScale = realTime }: { readonly nowUs: number; readonly timeScale?: TimeScale },
): GroupingDecision {
  const minute = timeScale(minuteUs);
  // A clock that was set back must not hold messages for longer than a minute.
  const recentUs = before.recentUs.filter((at) => at > nowUs - minute && at <= nowUs).slice(-singlesAMinute);
  const groupedUs = before.groupedUs === null ? null : Math.min(before.groupedUs, nowUs + minute);
  const [oldestUs] = createdUs;
  if (oldestUs === undefined)
    return { singles: 0, isGrouped: false, holdUntilUs: null, next: { recentUs, groupedUs } };
  if (groupedUs !== null && nowUs < groupedUs)
    return { singles: 0, isGrouped: false, holdUntilUs: groupedUs, next: { recentUs, groupedUs } };
  if (groupedUs !== null && oldestUs <= groupedUs) {
    const next = { recentUs: [...recentUs, nowUs].slice(-singlesAMinute), groupedUs: nowUs + minute };
    return { singles: 0, isGrouped: true, holdUntilUs: null, next };
  }
  const singles = Math.min(createdUs.length, singlesAMinute - recentUs.length);
  const left = [...recentUs, ...Array.from({ length: singles }, () => nowUs)];
  const holdUntilUs = singles < createdUs.length ? (left[0] ?? nowUs) + minute : null;
  return {
    singles,
    isGrouped: false,
    holdUntilUs,
    next: { recentUs: left, groupedUs: holdUntilUs },
  };
}

/** A grouped message names at most so many notifications; the rest leaves a minute later. */
const mostMerged = 5_000;

const groupingState = z.object({
  recentUs: z.array(z.number()).max(5),
  groupedUs: z.number().nullable(),
  /** When the latest message left. */
  lastUs: z.number().nullish(),
});

/** Notifications that waited longer leave in one summary, on channels that people read. */
const waitedUs = 10 * minuteUs;

/** Chats get at most one message in this time: services refuse more, and people cannot read more. */
const chatPauseUs = secondUs;

/**
 * Claims up to `places` messages of a contact in one transaction: decides what leaves, composes messages that were
 * never attempted, and stores them with the attempt and the lease. Empty when another worker has the contact.
 */
export async function claim(
  trx: Transaction<Tables>,
  ask: { readonly contactNo: number; readonly places: number; readonly nowUs: number },
  deps: ClaimDeps,
): Promise<readonly Claimed[]> {
  const { contactNo, nowUs } = ask;
  const health = await lockContact(trx, contactNo);
  if (health === undefined) return [];
  await storeSeen(trx, contactNo);
  const contact = await readContact(trx, contactNo);
  if (contact === undefined) {
    const nos = await unsentOf(trx, contactNo);
    await endUnsent(trx, { nos, state: 'Withdrawn', answer: 'the contact was deleted', nowUs });
    return [];
  }
  // It was put into shadow after the decision.
  if (contact.shadow) {
    const nos = await unsentOf(trx, contactNo);
    await endUnsent(trx, { nos, state: 'Shadow', answer: shadowAnswer, nowUs });
    return [];
  }
  const channel = channelOf(deps.channels, contact.type);
  const type = contactTypeOf(contact.type);
  if (type === undefined || channel === undefined) {
    deps.log.warn({ contact_id: contact.contact_id, type: contact.type }, 'a contact has no channel');
    await hold(trx, await unsentOf(trx, contactNo), nowUs + hourUs);
    return [];
  }
  const { isPerEvent, isChat } = contactTypes[type];
  if (isChat && isPaused(health.grouping, nowUs, deps.timeScale)) return [];
  const places = isChat ? Math.min(1, ask.places) : ask.places;
  const attempted = await freeRows(trx, { ...ask, areAttempted: true, limit: places });
  if (!isPerEvent) {
    const summary = await summaryOf(trx, { contactNo, nowUs, attempted }, deps.timeScale);
    if (summary !== undefined) {
      await storeGrouping(trx, contactNo, { lastUs: nowUs });
      const one = await leaseGroup(trx, { ...summary, contact, contactNo, channel, nowUs }, deps);
      return one === undefined ? [] : [one];
    }
  }
  const fresh = await freshGroups(trx, ask, {
    places: places - attempted.length,
    isPerEvent,
    grouping: health.grouping,
    timeScale: deps.timeScale,
  });
  const claimed: Claimed[] = [];
  for (const [leader, ...members] of [...attempted.map((row): Group => [row]), ...fresh]) {
    const one = await leaseGroup(trx, { leader, members, contact, contactNo, channel, nowUs }, deps);
    if (one !== undefined) claimed.push(one);
  }
  if (isChat && claimed.length > 0) await storeGrouping(trx, contactNo, { lastUs: nowUs });
  return claimed;
}

/** A message left a moment ago. A clock that was set back pauses nothing. */
function isPaused(grouping: unknown, nowUs: number, timeScale: TimeScale): boolean {
  const { lastUs } = groupingState.partial().safeParse(grouping).data ?? {};
  return lastUs != null && nowUs >= lastUs && nowUs < lastUs + timeScale(chatPauseUs);
}

/** One message of all that waits, where something that is due waited for long; undefined: nothing did. */
async function summaryOf(
  trx: Kysely<Tables>,
  ask: { readonly contactNo: number; readonly nowUs: number; readonly attempted: readonly FreeRow[] },
  timeScale: TimeScale,
): Promise<Pick<LeasedGroup, 'leader' | 'members' | 'waitedS'> | undefined> {
  const { contactNo, nowUs, attempted } = ask;
  const fresh = await freeRows(trx, { contactNo, nowUs, areAttempted: false, limit: 1 });
  const untilUs = nowUs - timeScale(waitedUs);
  if (![...attempted, ...fresh].some((row) => !row.maybe_sent && row.created_us <= untilUs)) return undefined;
  const rows = await waitingRows(trx, contactNo, mostMerged);
  const [leader, ...members] = rows;
  if (leader === undefined) return undefined;
  const waitedS = Math.floor((nowUs - Math.min(...rows.map((row) => row.created_us))) / secondUs);
  return { leader, members, waitedS };
}

/** The channel of a type of contact; undefined for a type of a later version. */
export function channelOf(channels: Channels, typeName: string): Channel | undefined {
  const type = contactTypeOf(typeName);
  return type && channels[type];
}

/** Notifications that leave in one message. */
type Group = readonly [leader: FreeRow, ...members: FreeRow[]];

/** The messages of notifications that were never attempted. What must wait is held. */
async function freshGroups(
  trx: Kysely<Tables>,
  { contactNo, nowUs }: { readonly contactNo: number; readonly nowUs: number },
  how: {
    readonly places: number;
    readonly isPerEvent: boolean;
    readonly grouping: unknown;
    readonly timeScale: TimeScale;
  },
): Promise<readonly Group[]> {
  const { places, isPerEvent, timeScale } = how;
  if (places <= 0) return [];
  const ask = { contactNo, nowUs, areAttempted: false };
  if (isPerEvent) return (await freeRows(trx, { ...ask, limit: places })).map((row): Group => [row]);
  const before = groupingState.safeParse(how.grouping).data ?? noGrouping;
  // One more than can leave alone: the decision needs no others.
  const waiting = await freeRows(trx, { ...ask, limit: singlesAMinute + 1 });
  const created = waiting.map((row) => row.created_us).sort((a, b) => a - b);
  const decision = decideGrouping(before, created, { nowUs, timeScale });
  // What finds no place is due and is decided by the next claim.
  const leaving = waiting.slice(0, Math.min(decision.singles, places));
  if (waiting.length > 0 && leaving.length === decision.singles)
    await storeGrouping(trx, contactNo, decision.next);
  if (decision.isGrouped) {
    const [leader, ...members] = await mergeableRows(trx, contactNo, mostMerged);
    return leader === undefined ? [] : [[leader, ...members]];
  }
  if (leaving.length < decision.singles) {
    const begun = { ...before, recentUs: [...before.recentUs, ...leaving.map(() => nowUs)].slice(-5) };
    await storeGrouping(trx, contactNo, begun);
  } else if (decision.holdUntilUs !== null) {
    const besides = leaving.map((row) => row.notification_no);
    await holdOthers(trx, { contactNo, besides, nowUs, untilUs: decision.holdUntilUs });
  }
  return leaving.map((row): Group => [row]);
}

interface LeasedGroup {
  readonly leader: FreeRow;
  readonly members: readonly FreeRow[];
  readonly contact: Claimed['contact'];
  readonly contactNo: number;
  readonly channel: Channel;
  readonly nowUs: number;
  /** The message is a summary of what waited so many seconds. */
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
    let composed: Message;
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
  await lease(trx, { no, memberNos, message: text, token, leaseUs, nowUs });
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

/** Ends notifications whose message cannot be made, as if the receiver had refused them for good. */
async function giveUp(trx: Transaction<Tables>, group: LeasedGroup, onFailed: OnFailed): Promise<void> {
  const { leader, members, contact, contactNo, nowUs } = group;
  const rows = [leader, ...members];
  const reason = 'the message cannot be composed';
  const nos = rows.map((row) => row.notification_no);
  await endUnsent(trx, { nos, state: 'Failed', answer: reason, nowUs });
  await releaseFollowers(trx, { contactNo, orderKeys: rows.map((row) => row.order_key), nowUs });
  await reportFailed(trx, rows, { accountNo: contact.account_no, contactNo, reason, nowUs }, onFailed);
}
