import { signal } from '@preact/signals';
import { dateIn } from '../model/format.ts';

/** Milliseconds since 1970, once a second. */
export const now = signal(Date.now());
/** The account's zone. */
export const zone = signal('UTC');
/** The date of today in that zone. */
export const today = signal(dateIn('UTC', Date.now()));

/** Runs the clock. */
export function runClock(): void {
  setInterval(() => {
    now.value = Date.now();
    today.value = dateIn(zone.value, now.value);
  }, 1_000);
}
