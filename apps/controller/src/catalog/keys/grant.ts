import type { FieldFault } from '@vantage/kernel';
import { type Level, levels } from '../../rest/http/session.ts';
import type { Scope } from './scope.ts';

/** The rights of a key or person, and their end. */
export interface Power {
  readonly level: Level;
  /** Epoch microseconds; null: without end. */
  readonly expiresUs: number | null;
  readonly tagNos: Scope;
}

/** The faults of giving somebody a power that the giver does not have. Pure. */
export function grantFaults(giver: Power, given: Power): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (levels.indexOf(given.level) > levels.indexOf(giver.level))
    faults.push({ field: 'Level', message: `cannot be above your own, which is ${giver.level}` });
  if (giver.expiresUs !== null && (given.expiresUs === null || given.expiresUs > giver.expiresUs))
    faults.push({ field: 'Expires', message: 'must be set, and not after the end of your own key' });
  const own = giver.tagNos;
  if (own !== null && (given.tagNos === null || given.tagNos.some((no) => !own.includes(no))))
    faults.push({ field: 'Tags', message: 'must be set, and hold none but those of your own key' });
  return faults;
}
