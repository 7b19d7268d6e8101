import { briefly, clockTime, exactTime, inFull } from '../model/format.ts';
import { secondsSince, today } from '../store/clock.ts';

/** How long ago a moment was; the exact one is its title. */
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

/** A moment in the account's zone, with its date where that is not today. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {clockTime(at, today.value)}
    </time>
  );
}
