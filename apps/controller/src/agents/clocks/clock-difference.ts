import { minuteUs, secondUs } from '@vantage/domain';

/** Whether two clocks that are this far apart agree, microseconds. */
export function isNear(us: number): boolean {
  return Math.abs(us) <= minuteUs;
}

/** The difference of a clock from another, as part of a sentence: `5 h ahead of`. */
export function showAhead(us: number): string {
  return `${showTime(us)} ${us > 0 ? 'ahead of' : 'behind'}`;
}

/** A time of this many microseconds, in words. */
export function showTime(us: number): string {
  const seconds = Math.round(Math.abs(us) / secondUs);
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
