import { signal } from '@preact/signals';
import { dateIn } from '../model/format.ts';
import { correctedOffset } from '../model/server-clock.ts';
import { accountSignal } from './present-sign-in.ts';

// Ages and durations use the server's clock, because the browser's may be wrong.

let offsetMs = 0;

/** The server's time, milliseconds since 1970; the browser's until the first answer. */
export const serverNow = (): number => Date.now() + offsetMs;

/** The server's time once a second. */
export const now = signal(serverNow());
/** Changes each minute while the tab is visible. It triggers another read of facts that have no event. */
export const minute = signal(0);
/** Changes each 15 s while the tab is visible. It triggers another read of figures that have no event. */
export const often = signal(0);
/** The account's time zone. */
export const zone = accountSignal('UTC');
/** The present date in that zone. */
export const today = signal(dateIn('UTC', now.value));

function tick(): void {
  now.value = serverNow();
  today.value = dateIn(zone.value, now.value);
}

export function runClock(): void {
  setInterval(() => {
    tick();
    if (document.hidden) return;
    minute.value = Math.floor(now.value / 60_000);
    often.value = Math.floor(now.value / 15_000);
  }, 1_000);
}

export const secondsSince = (ms: number): number => (now.value - ms) / 1_000;

export function showZone(name: string): void {
  zone.value = name;
  tick();
}

/** Learns the server's time from the answer to a request that was sent at `sentMs` by the browser's clock. */
export function learnServerTime({ headers }: Response, sentMs: number): void {
  const dateMs = Date.parse(headers.get('Date') ?? '');
  if (Number.isNaN(dateMs)) return;
  const before = offsetMs;
  offsetMs = correctedOffset(before, { sentMs, receivedMs: Date.now(), dateMs });
  if (offsetMs !== before) tick();
}
