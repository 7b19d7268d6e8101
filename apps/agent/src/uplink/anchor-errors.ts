import { declareState } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Anchor } from '@vantage/proto';
import type { AnchorAnswer, AnchorState } from './anchor-state.ts';
import { asBehindAnchor } from './reachability.ts';

/** The agent's view of one anchor. */
export interface Place {
  readonly anchor: Anchor;
  state: AnchorState;
  /** Its last check. */
  last: AnchorAnswer | undefined;
  /** When the first check that it answered after a silence began, monotonic milliseconds. */
  answersFromMs: number;
  /** Devices whose errors became code 10 since it is silent. */
  readonly missed: Set<number>;
}

/** Errors that wait for checks of anchors. */
export interface AnchorErrors {
  /**
   * Holds an error until the anchors at `open` were checked. Resolves with undefined where none of them could be
   * checked.
   */
  hold(error: {
    readonly deviceNo: number;
    readonly measurement: Measurement;
    /** Begin and end of the check, monotonic milliseconds. */
    readonly begunMs: number;
    readonly endMs: number;
    readonly open: readonly number[];
  }): Promise<Measurement | undefined>;
  /** A check of the anchor at `place`, begun at `startMs` (monotonic), ended with this answer. */
  checked(place: number, answer: AnchorAnswer, startMs: number): void;
  /** The anchors are others now: no error waits any more. */
  releaseAll(): void;
  /** Monotonic milliseconds of the oldest error that waits; undefined: none waits. */
  readonly oldestMs: number | undefined;
}

interface PendingError {
  readonly deviceNo: number;
  readonly endMs: number;
  /** Places of the anchors that still have to be checked. */
  readonly open: Set<number>;
  hasAnswer: boolean;
  readonly release: (verdict: Verdict) => void;
}

type Verdict = 'stands' | 'unknown' | { readonly behind: Anchor };

/*
 * An error waits for each of its anchors:
 *
 *   the anchor                                        | the error
 *   was silent in its last check before the error     | code 10 at once
 *   was silent when the device's check began          | code 10 at once: what that check sent may have been lost on the way
 *   is silent in a check that ends after the error    | code 10, also when that check began before the error
 *   answers a check that began after the error        | stands, when all of its anchors do so
 *   cannot be checked                                 | as if it was no anchor; where all are so: the rule of the uplink
 */

const tracked = declareState({
  name: 'errors_at_anchors',
  entries: { each: 'running check' },
  entryBytes: 2_000,
  filledBy: 'targets that fail',
  atBound: 'the limit of checks at one time',
});

/** Creates the list. `places` are the anchors now, near to far. */
export function createAnchorErrors(places: () => readonly Place[]): AnchorErrors {
  const pending = tracked(new Set<PendingError>());
  const release = (error: PendingError, verdict: Verdict) => {
    pending.delete(error);
    error.release(verdict);
  };
  const hide = (error: PendingError, place: number) => {
    const at = places()[place];
    at?.missed.add(error.deviceNo);
    // The nearest silent anchor on the way is the cause.
    const cause =
      places()
        .slice(0, place)
        .find(({ last }) => last === 'silent') ?? at;
    release(error, cause === undefined ? 'unknown' : { behind: cause.anchor });
  };
  return {
    hold: ({ deviceNo, measurement, begunMs, endMs, open }) =>
      new Promise((resolve) => {
        const error: PendingError = {
          deviceNo,
          endMs,
          open: new Set(open),
          hasAnswer: false,
          release: (verdict) => resolve(judgedAs(measurement, verdict)),
        };
        pending.add(error);
        const isSilent = (at: Place | undefined) =>
          at !== undefined && (at.last === 'silent' || begunMs < at.answersFromMs);
        const silent = open.find((place) => isSilent(places()[place]));
        if (silent !== undefined) hide(error, silent);
      }),
    checked(place, answer, startMs) {
      for (const error of [...pending]) {
        if (!error.open.has(place)) continue;
        if (answer === 'silent') hide(error, place);
        else if (startMs >= error.endMs) {
          error.open.delete(place);
          error.hasAnswer ||= answer === 'answered';
          if (error.open.size === 0) release(error, error.hasAnswer ? 'stands' : 'unknown');
        }
      }
    },
    releaseAll() {
      for (const error of [...pending]) release(error, 'unknown');
    },
    get oldestMs() {
      return pending.size === 0 ? undefined : Math.min(...[...pending].map(({ endMs }) => endMs));
    },
  };
}

function judgedAs(measurement: Measurement, verdict: Verdict): Measurement | undefined {
  switch (verdict) {
    case 'stands':
      return measurement;
    case 'unknown':
      return undefined;
    default:
      return asBehindAnchor(measurement, verdict.behind);
  }
}
