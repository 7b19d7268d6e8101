import type { BaseStatus } from '@vantage/domain';
import type { Point } from './observation.ts';

/** An unconfirmed failure with its retries so far. Lists are sorted sets. */
export interface OpenRetrySequence {
  /** The id in the opening result; null: the opening check identifies the retry sequence. */
  readonly retryId: string | null;
  readonly opened: Point;
  readonly firstErrorEndUs: number;
  /** Settings revision of the opening check; a newer target ends the retry sequence. */
  readonly revision: number;
  readonly failedAttempts: readonly number[];
  /** Locations with an error. */
  readonly failing: readonly number[];
  /** End, Location and agent of the last error that counted. */
  readonly lastEndUs: number;
  readonly lastLocationNo: number;
  readonly lastAgentNo: number;
}

/** Consecutive retry sequences in which the same Locations failed while another one succeeded; counted up to 3. */
export interface PartialRun {
  readonly failing: readonly number[];
  readonly sequences: number;
}

/** The version of the stored form of a state. It rises when earlier programs could not read the new form correctly. */
export const stateVersion = 3;

/** The state of the fold of one device. Plain JSON, stored with its version. */
export interface FoldState {
  readonly status: BaseStatus;
  /** Start of `status`, microseconds since 1970. */
  readonly sinceUs: number;
  /** The status before an Unknown, because an outage continues after the Unknown. */
  readonly before: 'Up' | 'Down' | null;
  /**
   * Whether the status has an event. False only for an Unknown that began while the agents were cut off, because their
   * Location has the event.
   */
  readonly announced: boolean;
  readonly retrySequence: OpenRetrySequence | null;
  readonly partial: PartialRun | null;
  /** Locations whose last result was inconclusive (codes 9 and 10). Sorted. */
  readonly inconclusiveLocationNos: readonly number[];
  /** The last check that changed this state; null before the first. */
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

/** The stored form of a state. */
export function storable(state: FoldState): FoldState & { readonly version: number } {
  return { version: stateVersion, ...state };
}

/** The status in the last event of the device. Null: the device is Unknown without an event so far. */
export function announcedStatus({ status, before, announced }: FoldState): BaseStatus | null {
  return announced ? status : before;
}

/** The sorted set with a member; the same array if it already was a member. */
export function withMember(set: readonly number[], member: number): readonly number[] {
  return set.includes(member) ? set : [...set, member].sort((a, b) => a - b);
}

/** The set without a member; the same array if it was not a member. */
export function withoutMember(set: readonly number[], member: number): readonly number[] {
  return set.includes(member) ? set.filter((other) => other !== member) : set;
}
