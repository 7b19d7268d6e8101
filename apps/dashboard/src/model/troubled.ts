import type { Day } from './day.ts';
import type { DeviceState } from './state.ts';

interface TroubledRow {
  readonly state: DeviceState;
  readonly day: Day;
}

/** The number of letters of the day in which a device was Down. Several short outages may share a letter. */
const partsDown = ({ day }: TroubledRow) => day.letters.split('D').length - 1;

/** Devices that are Up now and were Down in the last 24 hours, the longest downtime first. */
export function troubledToday<R extends TroubledRow>(rows: readonly R[]): readonly R[] {
  return rows
    .filter(({ state, day }) => state === 'Up' && day.letters.includes('D'))
    .sort((a, b) => partsDown(b) - partsDown(a));
}
