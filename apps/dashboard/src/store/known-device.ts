import type { Day } from '../model/day.ts';
import type { StateFacts } from '../model/state.ts';

/** The facts of a device that lists show. */
export interface KnownDevice extends Omit<StateFacts, 'isPartial'> {
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
  /** Its names in lower case, for the search. */
  readonly words: string;
  /** The `naturalKey` of its names, for the order. */
  readonly order: string;
}
