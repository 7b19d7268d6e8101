import { minuteUs, secondUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { TimeScale } from '../../config/time-scale.ts';
import { storeGrouping } from './claim-store.ts';
import { type FreeRow, freeRows, mergeableRows, waitingRows } from './free-notifications.ts';
import { decideGrouping, noGrouping, singlesAMinute } from './grouping.ts';
import { postponeOthers } from './notification-lease.ts';

/** A grouped message names at most this many notifications; the others leave a minute later. */
const maxMerged = 5_000;

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

/** Whether the latest message left less than `chatPauseUs` ago. A clock that was set back pauses nothing. */
export function isPaused(grouping: unknown, nowUs: number, timeScale: TimeScale): boolean {
  const { lastUs } = groupingState.partial().safeParse(grouping).data ?? {};
  return lastUs != null && nowUs >= lastUs && nowUs < lastUs + timeScale(chatPauseUs);
}

/** Everything that waits, as one message. */
interface SummaryGroup {
  readonly leader: FreeRow;
  readonly members: readonly FreeRow[];
  readonly waitedS: number;
}

/** A summary of everything that waits, if a due notification has waited longer than `waitedUs`; else undefined. */
export async function summaryOf(
  trx: Kysely<Tables>,
  ask: { readonly contactNo: number; readonly nowUs: number; readonly attempted: readonly FreeRow[] },
  timeScale: TimeScale,
): Promise<SummaryGroup | undefined> {
  const { contactNo, nowUs, attempted } = ask;
  const fresh = await freeRows(trx, { contactNo, nowUs, areAttempted: false, limit: 1 });
  const untilUs = nowUs - timeScale(waitedUs);
  if (![...attempted, ...fresh].some((row) => !row.maybe_sent && row.created_us <= untilUs)) return undefined;
  const rows = await waitingRows(trx, contactNo, maxMerged);
  const [leader, ...members] = rows;
  if (leader === undefined) return undefined;
  const waitedS = Math.floor((nowUs - Math.min(...rows.map((row) => row.created_us))) / secondUs);
  return { leader, members, waitedS };
}

/** Notifications that leave in one message. */
export type MessageGroup = readonly [leader: FreeRow, ...members: FreeRow[]];

/** The messages of notifications that were never attempted. Postpones those that must wait. */
export async function freshGroups(
  trx: Kysely<Tables>,
  { contactNo, nowUs }: { readonly contactNo: number; readonly nowUs: number },
  options: {
    readonly slots: number;
    readonly isPerEvent: boolean;
    readonly grouping: unknown;
    readonly timeScale: TimeScale;
  },
): Promise<readonly MessageGroup[]> {
  const { slots, isPerEvent, timeScale } = options;
  if (slots <= 0) return [];
  const ask = { contactNo, nowUs, areAttempted: false };
  if (isPerEvent) return (await freeRows(trx, { ...ask, limit: slots })).map((row): MessageGroup => [row]);
  const before = groupingState.safeParse(options.grouping).data ?? noGrouping;
  // One more than may leave singly: the decision needs no others.
  const waiting = await freeRows(trx, { ...ask, limit: singlesAMinute + 1 });
  const created = waiting.map((row) => row.created_us).sort((a, b) => a - b);
  const decision = decideGrouping(before, created, { nowUs, timeScale });
  // Notifications without a free slot stay due; the next claim decides about them.
  const leaving = waiting.slice(0, Math.min(decision.singles, slots));
  if (waiting.length > 0 && leaving.length === decision.singles)
    await storeGrouping(trx, contactNo, decision.next);
  if (decision.isGrouped) {
    const [leader, ...members] = await mergeableRows(trx, contactNo, maxMerged);
    return leader === undefined ? [] : [[leader, ...members]];
  }
  if (leaving.length < decision.singles) {
    const begun = { ...before, recentUs: [...before.recentUs, ...leaving.map(() => nowUs)].slice(-5) };
    await storeGrouping(trx, contactNo, begun);
  } else if (decision.postponedUntilUs !== null) {
    const except = leaving.map((row) => row.notification_no);
    await postponeOthers(trx, { contactNo, except, nowUs, untilUs: decision.postponedUntilUs });
  }
  return leaving.map((row): MessageGroup => [row]);
}
