import type { BaseStatus } from '@vantage/domain';
import type { Point } from './observation.ts';

/** A run of errors that is not yet confirmed. Lists are sorted sets. */
export interface RetrySequence {
  /** The opening result's own retry sequence id, or null: then the retry sequence is known by its opening check. */
  readonly retryId: string | null;
  readonly opened: Point;
  readonly firstErrorEndUs: number;
  /** Settings revision of the opening check; a newer target ends the retry sequence. */
  readonly revision: number;
  /** Retries that failed. */
  readonly failedAttempts: readonly number[];
  /** Locations that saw an error. */
  readonly failing: readonly number[];
  /** End, Location and agent of the last error that counted. */
  readonly lastEndUs: number;
  readonly lastLocationNo: number;
  readonly lastAgentNo: number;
}

/** Retry sequences in a row in which the same Locations failed while another one was fine; counted up to 3. */
export interface PartialRun {
  readonly failing: readonly number[];
  readonly sequences: number;
}

/**
 * Version of the form in which a state is stored. A form that earlier programs cannot read, or read wrongly, gets the
 * next one.
 */
export const stateVersion = 3;

/** Where the fold of one device stands. Plain JSON: it is stored as it is, with its version. */
export interface FoldState {
  readonly status: BaseStatus;
  /** Begin of `status`, microseconds since 1970. */
  readonly sinceUs: number;
  /** The status before an Unknown, because an outage goes on after the Unknown. */
  readonly before: 'Up' | 'Down' | null;
  /**
   * Whether the status has an event. False only for an Unknown that began while the agents were cut off, because their
   * Location has the event.
   */
  readonly announced: boolean;
  readonly retrySequence: RetrySequence | null;
  readonly partial: PartialRun | null;
  /** Locations whose last result was inconclusive (codes 9 and 10). Sorted. */
  readonly inconclusiveLocationNos: readonly number[];
  /** The check that changed this state last; null before the first one. No later check changed the state. */
  readonly at: Point | null;
}

/** The state of a device that no agent has checked yet. */
export function newState(createdUs: number): FoldState {
  return {
    status: 'Unknown',
    sinceUs: createdUs,
    before: null,
    announced: true,
    retrySequence: null,
    partial: null,
    inconclusiveLocationNos: [],
    at: null,
  };
}

/** A state as it is stored. */
export function storable(state: FoldState): FoldState & { readonly version: number } {
  return { version: stateVersion, ...state };
}

/** The status in the last event of the device. Null: the device is Unknown and has no event yet. */
export function announcedStatus({ status, before, announced }: FoldState): BaseStatus | null {
  return announced ? status : before;
}

/** The set with one more member, sorted; the very same array when it was in already. */
export function withMember(set: readonly number[], member: number): readonly number[] {
  return set.includes(member) ? set : [...set, member].sort((a, b) => a - b);
}

/** The set without a member; the very same array when it was not in. */
export function withoutMember(set: readonly number[], member: number): readonly number[] {
  return set.includes(member) ? set.filter((other) => other !== member) : set;
}
