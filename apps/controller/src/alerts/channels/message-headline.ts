import type { Notice } from './channel.ts';
import { capital, cut } from './fact-text.ts';
import { titleOf } from './message-title.ts';
import { maxReasonLength, whyOf, withReason } from './reason-text.ts';
import { shortSince, sinceOf } from './since-text.ts';

/** The first line of a message: what, why and since. At most some 600 UTF-16 units. Pure. */
export function headlineOf(notice: Notice): string {
  const why = whyOf(notice);
  const since = sinceOf(notice);
  const first = cut(titleOf(notice), 300);
  const sentence =
    why === undefined ? first : `${first}${withReason(notice.kind, cut(why, maxReasonLength))}`;
  return since === undefined ? `${sentence}.` : `${sentence}. ${capital(since)}.`;
}

/** One notice among many, at most some 300 characters: what, why, since. */
export function lineOf(notice: Notice): string {
  const why = whyOf(notice);
  const since = shortSince(notice);
  const sentence = cut(titleOf(notice), 120);
  return [
    why === undefined ? sentence : `${sentence}${withReason(notice.kind, cut(why, 80))}`,
    ...(since === undefined ? [] : [` (${since})`]),
  ].join('');
}
