import { minuteUs } from '@vantage/domain';

/** A check's place in the order in which results are folded: by start (microseconds since 1970), then by agent. */
export interface Point {
  readonly startUs: number;
  readonly agentNo: number;
}

/** The facts of one check that the fold needs. */
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
  /**
   * The check failed behind a silent anchor of its Location: the event of the anchor covers it, so its device has none.
   */
  readonly isBehindAnchor: boolean;
}

/** A result with the Locations that were online at its start. */
export interface Observation extends Result {
  /** Locations connected and assigned at its start, or last before it, without repetition. */
  readonly onlineLocationNos: readonly number[];
  /** It came late, while another agent was online at its start: history has it, the fold leaves it out. */
  readonly superseded: boolean;
  /**
   * Its agent ran it by run request, because the device was assigned to another agent of the Location. When it is
   * inconclusive, it decides nothing for the Location.
   */
  readonly oneOff: boolean;
  /**
   * Its agent had no connection when the check ended, or the check failed behind an anchor of its Location. An
   * inconclusive result then makes no event of the device, because the event of its Location covers it.
   */
  readonly cutOff: boolean;
}

/**
 * A span in which an agent was both connected and assigned to the device; `toUs` is exclusive, Infinity while it lasts.
 */
export interface OnlineSpan {
  readonly agentNo: number;
  readonly locationNo: number;
  readonly fromUs: number;
  readonly toUs: number;
}

/** A result that arrives later than this after its end is late (decisions, section 4). Microseconds. */
export const lateAfterUs = minuteUs;

/**
 * Connections that ended within this time of the last one ended with it, by an outage of the controllers. Microseconds.
 */
const sameEndUs = minuteUs;

/** Whether the result came late. */
export function isLate(result: Pick<Result, 'endUs' | 'arrivedUs'>, afterUs = lateAfterUs): boolean {
  return result.arrivedUs > result.endUs + afterUs;
}

/** The order of the fold: negative when `a` comes first, 0 for the same check. */
export function comparePoints(a: Point, b: Point): number {
  return a.startUs - b.startUs || a.agentNo - b.agentNo;
}

/**
 * Adds to each result the Locations that were online at its start, by the recorded spans. When no agent was connected,
 * because the controllers were away, the Locations that were online last before count: their agents went on, so their
 * results are folded as if they had stayed connected. A late result is superseded when another agent was connected at
 * its start, because late results never undo a decision by connected agents. A result is late from `afterUs` on.
 */
export function toObservations(
  results: readonly Result[],
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

/** Without any span nothing is known of a cut. */
function withoutSpans(result: Result): Observation {
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
