import { minuteUs } from '@vantage/domain';

/** The key by which results are folded in order: start (microseconds since 1970), then agent. */
export interface Point {
  readonly startUs: number;
  readonly agentNo: number;
}

/** The facts of one check that the fold needs. */
export interface FoldInput extends Point {
  readonly locationNo: number;
  readonly endUs: number;
  /** First arrival at a controller. */
  readonly arrivedUs: number;
  /** A ResultCode; see `verdictOf`. */
  readonly code: number;
  /** 0 for a regular check, k for the k-th retry. */
  readonly attempt: number;
  readonly retryId: string | null;
  /** Revision of the settings under which it ran. */
  readonly revision: number;
  /** One line for people. */
  readonly text: string;
  /** The check failed behind a silent anchor of its Location. The event of the anchor covers the device. */
  readonly isBehindAnchor: boolean;
}

/** A result with the Locations that were online at its start. */
export interface Observation extends FoldInput {
  /** Locations that were connected and assigned at its start, or last before it; without repetition. */
  readonly onlineLocationNos: readonly number[];
  /** It arrived late, and another agent was online at its start: it stays in the history, but is not folded. */
  readonly superseded: boolean;
  /**
   * Its agent ran it by run request, because the device was assigned to another agent of the Location. If it is
   * inconclusive, it has no effect on the Location.
   */
  readonly oneOff: boolean;
  /**
   * Its agent had no connection when the check ended, or the check failed behind an anchor of its Location. If it is
   * inconclusive, it causes no event of the device, because the event of its Location covers the device.
   */
  readonly cutOff: boolean;
}

/** A span in which an agent was connected and assigned to the device; `toUs` is exclusive, Infinity while it lasts. */
export interface OnlineSpan {
  readonly agentNo: number;
  readonly locationNo: number;
  readonly fromUs: number;
  readonly toUs: number;
}

/** A result that arrives later than this after its end is late (decisions, section 4). */
export const lateAfterUs = minuteUs;

/** Connections that ended within this time of the last one ended together, by an outage of the controllers. */
const sameEndUs = minuteUs;

export function isLate(result: Pick<FoldInput, 'endUs' | 'arrivedUs'>, afterUs = lateAfterUs): boolean {
  return result.arrivedUs > result.endUs + afterUs;
}

/** The order of the fold: negative when `a` comes first, 0 for the same check. */
export function comparePoints(a: Point, b: Point): number {
  return a.startUs - b.startUs || a.agentNo - b.agentNo;
}

/**
 * Adds to each result the Locations that were online at its start, by the recorded spans. If no agent was connected,
 * because the controllers were unreachable, the Locations that were online last count: their agents continued, so their
 * results are folded as if they had stayed connected. A late result is superseded if another agent was connected at its
 * start, because late results never undo a decision by connected agents. A result is late after `afterUs`.
 */
export function toObservations(
  results: readonly FoldInput[],
  spans: readonly OnlineSpan[],
  afterUs = lateAfterUs,
): Observation[] {
  return results.map((result) => {
    if (spans.length === 0) return withoutSpans(result);
    const live = spans.filter((span) => span.fromUs <= result.startUs && result.startUs < span.toUs);
    const active = live.length > 0 ? live : lastBefore(spans, result.startUs);
    const onlineLocationNos = [...new Set(active.map((span) => span.locationNo))].sort((a, b) => a - b);
    const superseded = isLate(result, afterUs) && live.some((span) => span.agentNo !== result.agentNo);
    const oneOff =
      active.some((span) => span.locationNo === result.locationNo) &&
      !active.some((span) => span.agentNo === result.agentNo);
    const wasAway = !spans.some(
      (span) => span.agentNo === result.agentNo && span.fromUs <= result.endUs && result.endUs < span.toUs,
    );
    const cutOff = wasAway || result.isBehindAnchor;
    return { ...result, onlineLocationNos, superseded, oneOff, cutOff };
  });
}

/** Without any span, a lost connection is not known. */
function withoutSpans(result: FoldInput): Observation {
  return {
    ...result,
    onlineLocationNos: [],
    superseded: false,
    oneOff: false,
    cutOff: result.isBehindAnchor,
  };
}

function lastBefore(spans: readonly OnlineSpan[], us: number): OnlineSpan[] {
  const ended = spans.filter((span) => span.toUs <= us && span.fromUs < span.toUs);
  const lastUs = Math.max(...ended.map((span) => span.toUs));
  return ended.filter((span) => span.toUs > lastUs - sameEndUs);
}
