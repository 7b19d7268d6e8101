import { resultCode, secondUs } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';

/** Tolerated delay of a check, milliseconds. If a check starts later, the time before it is not covered. */
export const toleratedLatenessMs = 5000;

/** The starts of regular checks since the window began. */
interface StartCounts {
  readonly started: number;
  readonly late: number;
}

/** Up to this many late starts are always isolated. */
const maxIsolatedLate = 2;

/** More late starts are never isolated, because each of them causes an event of its device. */
const maxIsolatedLateOfMany = 20;

const isolatedShare = 0.1;

/** A check that starts later is never isolated: its result for the due time would arrive as a late result. */
const maxIsolatedMs = 50_000;

const windowMs = 600_000;

/** Decides whether the number of late checks means that the agent is overloaded. Pure. */
export function isOverloaded({ started, late }: StartCounts): boolean {
  return late > Math.min(maxIsolatedLateOfMany, Math.max(maxIsolatedLate, started * isolatedShare));
}

/** Counts the starts of an agent. */
export interface LateChecks {
  /**
   * Counts a regular check that starts this late. Returns whose coverage ends: the coverage of its device, or, if the
   * agent is overloaded, of all its devices.
   */
  started(lateMs: number): 'nothing' | 'device' | 'agent';
}

/** Creates the counter. It starts again every ten minutes. */
export function createLateChecks(monoMs: () => number): LateChecks {
  let sinceMs = monoMs();
  let counts: StartCounts = { started: 0, late: 0 };
  return {
    started(lateMs) {
      const isLate = lateMs > toleratedLatenessMs;
      if (monoMs() - sinceMs > windowMs) {
        sinceMs = monoMs();
        counts = { started: 0, late: 0 };
      }
      counts = { started: counts.started + 1, late: counts.late + Number(isLate) };
      if (!isLate) return 'nothing';
      return lateMs > maxIsolatedMs || isOverloaded(counts) ? 'agent' : 'device';
    },
  };
}

/** The measurement of a check that did not start in time. It proves nothing about the device. */
export function notInTime(lateUs: number): Measurement {
  return {
    code: resultCode.agent,
    text: `this agent started the check ${Math.round(lateUs / secondUs)} s after its due time`,
    phases: { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 },
    dataSize: 0,
    slow: false,
    peers: [],
    extended: {},
  };
}
