export { count, inFull, percent } from '@vantage/domain/report/numbers';

/** A blank that does not break, between a number and its unit. */
const gap = '\u00a0';
const none = '–';

/** A duration for lists, in its largest unit: `41 min`. */
export function briefly(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  if (whole < 60) return `${whole}${gap}s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)}${gap}min`;
  if (whole < 172_800) return `${Math.floor(whole / 3_600)}${gap}h`;
  return `${Math.floor(whole / 86_400)}${gap}d`;
}

/** A response time: up to three digits in ms, in s from 1,000 ms on; `–` if none was measured. */
export function milliseconds(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return none;
  if (ms >= 999.5) return `${(ms / 1_000).toFixed(1)}${gap}s`;
  if (ms >= 9.95) return `${Math.round(ms)}${gap}ms`;
  if (ms < 0.01) return `<0.01${gap}ms`;
  return `${ms.toFixed(ms < 0.095 ? 2 : 1)}${gap}ms`;
}

/**
 * A timestamp of the API in few characters. It is already in the account's zone, so its digits are used as they are.
 * `today` is the present date in that zone: the date is shown for other days.
 */
export function clockTime(timestamp: string, today: string): string {
  const date = timestamp.slice(0, 10);
  const time = timestamp.slice(11, 19);
  return date === today ? time : `${date.slice(5)} ${time}`;
}

/** A timestamp in full, with its offset. */
export function exactTime(timestamp: string): string {
  return timestamp.replace('T', ' ').replace(/(\d)([+-]\d\d:\d\d|Z)$/, '$1 $2');
}

/** The date of a moment in a zone: `2026-02-25`. */
export function dateIn(zone: string, ms: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(ms);
}
