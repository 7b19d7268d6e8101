import { declareState } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Anchor } from '@vantage/proto';
import type { AnchorAnswer, AnchorState } from './anchor-state.ts';
import { asBehindAnchor } from './reachability.ts';

/** The agent's view of one anchor. */
export interface MonitoredAnchor {
  readonly anchor: Anchor;
  state: AnchorState;
  /** The answer of its last check. */
  last: AnchorAnswer | undefined;
  /** Start of the first check that it answered after a silence, monotonic milliseconds. */
  answersFromMs: number;
  /** Devices whose errors became code 10 since it became silent. */
  readonly missed: Set<number>;
}

/** Errors of devices that wait for checks of anchors. */
export interface AnchorErrors {
  /**
   * Postpones an error until the anchors at `open` were checked. Resolves with undefined if none of them could be
   * checked.
   */
  postpone(error: {
    readonly deviceNo: number;
    readonly measurement: Measurement;
    /** Start and end of the check, monotonic milliseconds. */
    readonly begunMs: number;
    readonly endMs: number;
    readonly open: readonly number[];
  }): Promise<Measurement | undefined>;
  /** A check of the anchor at `index`, started at `startMs` (monotonic), ended with this answer. */
  checked(index: number, answer: AnchorAnswer, startMs: number): void;
  /** The anchors have changed: no error waits for the earlier ones. */
  releaseAll(): void;
  /** The oldest error that waits, monotonic milliseconds; undefined: none waits. */
  readonly oldestMs: number | undefined;
}

interface ErrorAtAnchors {
  readonly deviceNo: number;
  readonly endMs: number;
  /** Indexes of the anchors that are still to be checked. */
  readonly open: Set<number>;
  hasAnswer: boolean;
  readonly release: (verdict: AnchorVerdict) => void;
}

type AnchorVerdict = 'stands' | 'unknown' | { readonly behind: Anchor };

/*
 * An error waits for each of its anchors:
 *
 *   anchor                                            | error
 *   was silent in its last check before the error     | code 10 at once
 *   was silent when the check of the device began     | code 10 at once, because packets of that check may have been lost
 *   is silent in a check that ends after the error    | code 10, even if that check began before the error
 *   answers a check that began after the error        | stands when all of its anchors do so
 *   cannot be checked                                 | is judged by the other anchors; without any, by the uplink's rule
 */

const tracked = declareState({
  name: 'errors_at_anchors',
  entries: { each: 'running check' },
  entryBytes: 2_000,
  filledBy: 'targets that fail',
  atBound: 'the limit of checks at one time',
});

/** Creates the list. `monitored` returns the present anchors, near to far. */
export function createAnchorErrors(monitored: () => readonly MonitoredAnchor[]): AnchorErrors {
  const pending = tracked(new Set<ErrorAtAnchors>());
  const release = (error: ErrorAtAnchors, verdict: AnchorVerdict) => {
    pending.delete(error);
    error.release(verdict);
  };
  const hide = (error: ErrorAtAnchors, index: number) => {
    const at = monitored()[index];
    at?.missed.add(error.deviceNo);
    // The nearest silent anchor on the route is the cause.
    const cause =
      monitored()
        .slice(0, index)
        .find(({ last }) => last === 'silent') ?? at;
    release(error, cause === undefined ? 'unknown' : { behind: cause.anchor });
  };
  return {
    postpone: ({ deviceNo, measurement, begunMs, endMs, open }) =>
      new Promise((resolve) => {
        const error: ErrorAtAnchors = {
          deviceNo,
          endMs,
          open: new Set(open),
          hasAnswer: false,
          release: (verdict) => resolve(judgedAs(measurement, verdict)),
        };
        pending.add(error);
        const isSilent = (at: MonitoredAnchor | undefined) =>
          at !== undefined && (at.last === 'silent' || begunMs < at.answersFromMs);
        const silent = open.find((index) => isSilent(monitored()[index]));
        if (silent !== undefined) hide(error, silent);
      }),
    checked(index, answer, startMs) {
      for (const error of [...pending]) {
        if (!error.open.has(index)) continue;
        if (answer === 'silent') hide(error, index);
        else if (startMs >= error.endMs) {
          error.open.delete(index);
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

function judgedAs(measurement: Measurement, verdict: AnchorVerdict): Measurement | undefined {
  switch (verdict) {
    case 'stands':
      return measurement;
    case 'unknown':
      return undefined;
    default:
      return asBehindAnchor(measurement, verdict.behind);
  }
}
