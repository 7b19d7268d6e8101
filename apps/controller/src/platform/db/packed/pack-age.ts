import { dayUs } from '@vantage/domain';

/** The youngest days that may be packed: those that ended so many days ago. */
export const leastPackDays = 2;

/** May a check that started then be packed? False costs no statement. Pure. */
export function mayBePacked(startUs: number, nowUs: number): boolean {
  return startUs < nowUs - leastPackDays * dayUs;
}
