import { type Day, runsOfDay } from './day.ts';
import type { State } from './state.ts';

interface Row {
  readonly state: State;
  readonly day: Day;
}

/** How often a device was Down within the letters of its day. */
const timesDown = ({ day }: Row) =>
  runsOfDay(day.letters, 'Up').filter(({ status }) => status === 'Down').length;

/** Devices that are Up now and were Down in the last 24 hours, those with the most outages first. */
export function troubledToday<R extends Row>(rows: readonly R[]): readonly { row: R; times: number }[] {
  return rows
    .filter(({ state, day }) => state === 'Up' && day.letters.includes('D'))
    .map((row) => ({ row, times: timesDown(row) }))
    .sort((a, b) => b.times - a.times);
}
