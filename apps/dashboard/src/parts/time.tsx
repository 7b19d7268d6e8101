import { briefly, clockTime, exactTime, inFull } from '../model/format.ts';
import { secondsSince, today } from '../store/clock.ts';

/** The time since a moment. The tooltip has the exact moment. */
export function Since({ at, full = false }: { readonly at: number | string; readonly full?: boolean }) {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const seconds = secondsSince(ms);
  const exact = typeof at === 'string' ? exactTime(at) : new Date(ms).toISOString();
  return (
    <time dateTime={new Date(ms).toISOString()} title={exact}>
      {full ? inFull(seconds) : briefly(seconds)}
    </time>
  );
}

/** A moment in the account's zone, with the date unless it is today. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {clockTime(at, today.value)}
    </time>
  );
}
