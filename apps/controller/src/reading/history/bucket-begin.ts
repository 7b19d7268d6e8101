import type { Zone } from '@vantage/rest-kit/zone';

/** The start of the quarter of a day that holds this local time: at 00:00, 06:00, 12:00 or 18:00. */
export function beginOfQuarter(local: string, zone: Zone): number | undefined {
  const hour = Number(local.slice(11, 13));
  const begin = String(hour - (hour % 6)).padStart(2, '0');
  return zone.parse(`${local.slice(0, 10)}T${begin}:00:00`);
}

/** The start of a date, `YYYY-MM-DD`. */
export function beginOfDay(date: string, zone: Zone): number | undefined {
  return zone.parse(`${date}T00:00:00`);
}
