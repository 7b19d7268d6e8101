import type { FieldFault } from '@vantage/kernel';
import { type Level, levels } from '../../http/session.ts';

/** What a key or person may do, and until when. */
export interface Power {
  readonly level: Level;
  /** Epoch microseconds; null: without end. */
  readonly expiresUs: number | null;
}

/** The faults of giving somebody a power that the giver does not have. Pure. */
export function grantFaults(giver: Power, given: Power): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (levels.indexOf(given.level) > levels.indexOf(giver.level))
    faults.push({ field: 'Level', message: `cannot be above your own, which is ${giver.level}` });
  if (giver.expiresUs !== null && (given.expiresUs === null || given.expiresUs > giver.expiresUs))
    faults.push({ field: 'Expires', message: 'must be set, and not after the end of your own key' });
  return faults;
}
