import type { FieldFault } from '@vantage/kernel';
import { type Level, levels } from '@vantage/rest-kit/session';
import type { Scope } from './key-scope.ts';

/** The rights of a key or person, and their end. */
export interface Power {
  readonly level: Level;
  /** Epoch microseconds; null: without end. */
  readonly expiresUs: number | null;
  readonly tagNos: Scope;
}

/** The faults of granting a power that the grantor does not have. Pure. */
export function grantFaults(grantor: Power, granted: Power): readonly FieldFault[] {
  const faults: FieldFault[] = [];
  if (levels.indexOf(granted.level) > levels.indexOf(grantor.level))
    faults.push({ field: 'Level', message: `cannot be above your own, which is ${grantor.level}` });
  if (grantor.expiresUs !== null && (granted.expiresUs === null || granted.expiresUs > grantor.expiresUs))
    faults.push({ field: 'Expires', message: 'must be set, and not after the end of your own key' });
  const limit = grantor.tagNos;
  if (limit !== null && (granted.tagNos === null || granted.tagNos.some((no) => !limit.includes(no))))
    faults.push({ field: 'Tags', message: 'must be set, and hold none but those of your own key' });
  return faults;
}
