import { signal } from '@preact/signals';
import { dateIn } from '../model/format.ts';
import { correctedOffset } from '../model/server-clock.ts';
import { accountSignal } from './present-sign-in.ts';

// Ages and durations follow the server's clock: that of the browser may be wrong.

let offsetMs = 0;

/** The server's time, milliseconds since 1970; that of the browser until the first answer. */
export const serverNow = (): number => Date.now() + offsetMs;

/** The server's time once a second. */
export const now = signal(serverNow());
/** Another number each minute in which the tab is shown: what has no event is read again by it. */
export const minute = signal(0);
/** The account's zone. */
export const zone = accountSignal('UTC');
/** The date of today in that zone. */
export const today = signal(dateIn('UTC', now.value));

/** Shows the present time. */
function tick(): void {
  now.value = serverNow();
  today.value = dateIn(zone.value, now.value);
}

/** Runs the clock. */
export function runClock(): void {
  setInterval(() => {
    tick();
    if (!document.hidden) minute.value = Math.floor(now.value / 60_000);
  }, 1_000);
}

/** Seconds since a moment, by the server's clock. */
export const secondsSince = (ms: number): number => (now.value - ms) / 1_000;

/** Shows times in another zone. */
export function showZone(name: string): void {
  zone.value = name;
  tick();
}

/** Learns the server's time from an answer to a request that was sent at `sentMs` by the browser's clock. */
export function learnServerTime({ headers }: Response, sentMs: number): void {
  const dateMs = Date.parse(headers.get('Date') ?? '');
  if (Number.isNaN(dateMs)) return;
  const before = offsetMs;
  offsetMs = correctedOffset(before, { sentMs, receivedMs: Date.now(), dateMs });
  if (offsetMs !== before) tick();
}
