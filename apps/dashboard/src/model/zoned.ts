import { dayMs } from '@vantage/domain/units';

/** The clocks of a zone at a moment: `2026-03-29T03:10`. */
export function wallTime(zone: string, ms: number): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(ms);
  return text.replace(' ', 'T');
}

/**
 * The moment at which the clocks of a zone show this time. Of a time that comes twice it is the first one; a time that
 * the clocks skip is taken as if they had not been moved yet. NaN: the text is no time.
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

/** The date that lies so many days after another: `2026-03-01`. */
export function dateAfter(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** The day of the week of a date: 0 is Monday. */
export function weekdayOf(date: string): number {
  return (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7;
}
