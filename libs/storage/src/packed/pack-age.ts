import { dayUs } from '@vantage/domain';

/** A day may be packed when it ended at least this many days ago. */
export const minPackDays = 1;

/** Whether a check of this start time can be packed. Cheap pre-check: false means that no query is needed. Pure. */
export function mayBePacked(startUs: number, nowUs: number): boolean {
  return startUs < nowUs - minPackDays * dayUs;
}
