import type { Day } from './day.ts';
import type { State } from './state.ts';

interface Row {
  readonly state: State;
  readonly day: Day;
}

/** In how many letters of its day a device was Down. Several short outages may share one. */
const partsDown = ({ day }: Row) => day.letters.split('D').length - 1;

/** Devices that are Up now and were Down in the last 24 hours, those that were Down for longest first. */
export function troubledToday<R extends Row>(rows: readonly R[]): readonly R[] {
  return rows
    .filter(({ state, day }) => state === 'Up' && day.letters.includes('D'))
    .sort((a, b) => partsDown(b) - partsDown(a));
}
