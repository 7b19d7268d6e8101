import { dayMs } from '@vantage/domain/units';

/** The local time in a zone: `2026-03-29T03:10`. */
export function wallTime(zone: string, ms: number): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(ms);
  return text.replace(' ', 'T');
}

/**
 * The moment at which the local time in a zone is `wall`. A time that occurs twice means the first one. A time that the
 * clocks skip is converted with the offset before the change. NaN: the text is not a time.
 */
export function instantOf(zone: string, wall: string): number {
  const asUtc = Date.parse(`${wall}Z`);
  if (Number.isNaN(asUtc)) return Number.NaN;
  const offsetAt = (ms: number) => Date.parse(`${wallTime(zone, ms)}Z`) - Math.floor(ms / 60_000) * 60_000;
  const before = asUtc - offsetAt(asUtc - dayMs);
  const after = asUtc - offsetAt(asUtc + dayMs);
  const fitting = [before, after].filter((ms) => wallTime(zone, ms) === wall);
  return fitting.length === 0 ? before : Math.min(...fitting);
}

/** Minutes as hours and minutes: `02:30`, for times of a day and for durations. */
export function timeOfMinutes(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The date `days` days after another: `2026-03-01`. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The day of the week of a date: 0 is Monday. */
export function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7;
}
