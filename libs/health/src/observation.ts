/** A status before coverage and maintenance are laid over it. */
export type BaseStatus = 'Up' | 'Down' | 'Unknown';

/** A check's place in the order in which results are folded: by start (microseconds since 1970), then by agent. */
export interface Point {
  readonly startUs: number;
  readonly agentNo: number;
}

/** What the fold needs to know of one check. */
export interface Result extends Point {
  readonly locationNo: number;
  readonly endUs: number;
  /** First arrival at a controller. */
  readonly arrivedUs: number;
  /** ResultCode, see `verdictOf`. */
  readonly code: number;
  /** 0 for a regular check, k for the k-th retry. */
  readonly attempt: number;
  readonly retryId: string | null;
  /** Revision of the settings it ran under. */
  readonly revision: number;
  /** One line for people. */
  readonly text: string;
}

/** A result with what was known about those who looked at its start. */
export interface Observation extends Result {
  /** Locations connected and assigned at its start, or last before it, without repetition. */
  readonly onlineLocationNos: readonly number[];
  /** It came late and somebody else observed live: kept for history, not folded. */
  readonly superseded: boolean;
  /** Another agent of its Location had the device then; this one looked by order, and speaks for itself only when it is inconclusive. */
  readonly oneOff: boolean;
  /**
   * Its agent had no connection when the check ended. What it could not see then is no news of the device: that the agent was
   * cut off is told of its Location.
   */
  readonly cutOff: boolean;
}

/** A span in which an agent was both connected and assigned to the device; `toUs` is exclusive, Infinity while it lasts. */
export interface OnlineSpan {
  readonly agentNo: number;
  readonly locationNo: number;
  readonly fromUs: number;
  readonly toUs: number;
}

/** A result that arrives later than this after its end is late (decisions, section 4). Microseconds. */
export const lateAfterUs = 60_000_000;

/** Those whose connections ended within this time of the last one went with it: it was our outage. Microseconds. */
const sameEndUs = 60_000_000;

/** Whether the result came late. */
export function isLate(result: Pick<Result, 'endUs' | 'arrivedUs'>, afterUs = lateAfterUs): boolean {
  return result.arrivedUs > result.endUs + afterUs;
}

/** The order of the fold: negative when `a` comes first, 0 for the same check. */
export function comparePoints(a: Point, b: Point): number {
  return a.startUs - b.startUs || a.agentNo - b.agentNo;
}

/**
 * Adds to each result who was online at its start, by the recorded spans. Where nobody was connected (the controllers were
 * away), those count who were up to then: they looked on, and the story reads as if they had never been cut off. A late one is covered when any other agent
 * was watching live: what was decided by those who were connected is not undone. `afterUs`: what counts as late.
 */
export function toObservations(
  results: readonly Result[],
  spans: readonly OnlineSpan[],
  afterUs = lateAfterUs,
): Observation[] {
  return results.map((result) => {
    const live = spans.filter((span) => span.fromUs <= result.startUs && result.startUs < span.toUs);
    const active = live.length > 0 ? live : lastBefore(spans, result.startUs);
    const onlineLocationNos = [...new Set(active.map((span) => span.locationNo))].sort((a, b) => a - b);
    const superseded = isLate(result, afterUs) && live.some((span) => span.agentNo !== result.agentNo);
    const oneOff =
      active.some((span) => span.locationNo === result.locationNo) &&
      !active.some((span) => span.agentNo === result.agentNo);
    // Where no span at all is known, nothing is known of a cut either.
    const cutOff =
      spans.length > 0 &&
      !spans.some(
        (span) => span.agentNo === result.agentNo && span.fromUs <= result.endUs && result.endUs < span.toUs,
      );
    return { ...result, onlineLocationNos, superseded, oneOff, cutOff };
  });
}

function lastBefore(spans: readonly OnlineSpan[], us: number): OnlineSpan[] {
  const ended = spans.filter((span) => span.toUs <= us && span.fromUs < span.toUs);
  const lastUs = Math.max(...ended.map((span) => span.toUs));
  return ended.filter((span) => span.toUs > lastUs - sameEndUs);
}
