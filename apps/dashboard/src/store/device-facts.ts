import type { Day } from '../model/day.ts';
import type { StateFacts } from '../model/state.ts';

/** A device as lists show it. */
export interface DeviceFacts extends Omit<StateFacts, 'isPartial'> {
  readonly id: string;
  readonly name: string;
  readonly shortName: string;
  readonly method: string;
  readonly sinceMs: number;
  readonly maintenanceUntil: string | null;
  readonly downBecause: string | null;
  readonly severity: string;
  readonly tags: readonly string[];
  readonly locations: readonly string[];
  readonly lastCheck: { readonly at: string; readonly ms: number; readonly isGood: boolean } | null;
  readonly day: Day;
  /** Its names in small letters, for the search. */
  readonly words: string;
  /** Its names as `naturalKey` has them, for the order. */
  readonly order: string;
}
