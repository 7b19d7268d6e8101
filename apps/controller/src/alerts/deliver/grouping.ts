import { minuteUs } from '@vantage/domain';
import { realTime, type TimeScale } from '../../config/time-scale.ts';

/** The times at which the latest messages to one contact left, microseconds since 1970. */
export interface MessageGrouping {
  /** When the messages of the last minute left, oldest first; at most five. */
  readonly recentUs: readonly number[];
  /** The next grouped message may leave then; null: messages leave one by one. */
  readonly groupedUs: number | null;
}

/** The messages that leave now. */
interface GroupingDecision {
  /** The number of waiting messages that leave singly, oldest first. */
  readonly singles: number;
  /** All waiting messages leave as one message. */
  readonly isGrouped: boolean;
  /** The others wait until then; null: none waits. */
  readonly postponedUntilUs: number | null;
  readonly next: MessageGrouping;
}

/** Messages to a contact that leave one by one within a minute. */
export const singlesAMinute = 5;

/** Nothing was sent yet. */
export const noGrouping: MessageGrouping = { recentUs: [], groupedUs: null };

/**
 * Decides which messages that were never attempted leave now. `createdUs` are their creation times, oldest first; the
 * oldest `singlesAMinute` + 1 of them are enough.
 *
 * | messages of the last minute | waiting | decision |
 * |---|---|---|
 * | fewer than five | any | the oldest leave one by one, until there are five |
 * | five | any | the rest waits until a minute after the first of the five, then leaves as one message |
 * | a grouped one less than a minute ago | any | all wait until that minute has passed |
 * | a grouped one a minute ago or more | some since that minute | they leave as one message |
 * | a grouped one a minute ago or more | all came after that minute | as if there had been no grouping |
 *
 * Pure.
 */
export function decideGrouping(
  before: MessageGrouping,
  createdUs: readonly number[],
  { nowUs, timeScale = realTime }: { readonly nowUs: number; readonly timeScale?: TimeScale },
): GroupingDecision {
  const minute = timeScale(minuteUs);
  // A clock that was set back must not delay messages for longer than a minute.
  const recentUs = before.recentUs.filter((at) => at > nowUs - minute && at <= nowUs).slice(-singlesAMinute);
  const groupedUs = before.groupedUs === null ? null : Math.min(before.groupedUs, nowUs + minute);
  const [oldestUs] = createdUs;
  if (oldestUs === undefined)
    return { singles: 0, isGrouped: false, postponedUntilUs: null, next: { recentUs, groupedUs } };
  if (groupedUs !== null && nowUs < groupedUs)
    return { singles: 0, isGrouped: false, postponedUntilUs: groupedUs, next: { recentUs, groupedUs } };
  if (groupedUs !== null && oldestUs <= groupedUs) {
    const next = { recentUs: [...recentUs, nowUs].slice(-singlesAMinute), groupedUs: nowUs + minute };
    return { singles: 0, isGrouped: true, postponedUntilUs: null, next };
  }
  const singles = Math.min(createdUs.length, singlesAMinute - recentUs.length);
  const left = [...recentUs, ...Array.from({ length: singles }, () => nowUs)];
  const postponedUntilUs = singles < createdUs.length ? (left[0] ?? nowUs) + minute : null;
  return {
    singles,
    isGrouped: false,
    postponedUntilUs,
    next: { recentUs: left, groupedUs: postponedUntilUs },
  };
}
