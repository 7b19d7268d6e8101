import { resultCode, secondUs } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';

/** The time before a check that starts later than this is not covered, milliseconds. */
export const toleratedLatenessMs = 5000;

/** The starts of regular checks since the window began. */
export interface StartCounts {
  readonly started: number;
  readonly late: number;
}

/** Up to so many late starts are always single ones. */
const alwaysSingle = 2;
/** More late starts than this are never single ones, because each of them makes an event of its device. */
const mostSingle = 20;
const singleShare = 0.1;
/**
 * A check that starts later than this is never a single one: its result for the due time would arrive as a late result.
 */
const longestSingleMs = 50_000;
const windowMs = 600_000;

/** Decides whether so many checks were late that the agent is overloaded. Pure. */
export function isOverloaded({ started, late }: StartCounts): boolean {
  return late > Math.min(mostSingle, Math.max(alwaysSingle, started * singleShare));
}

/** Counts the starts of an agent. */
export interface LateChecks {
  /**
   * Counts a regular check that starts so late. Decides which coverage that ends: of its device, or, when the agent is
   * overloaded, of all its devices.
   */
  started(lateMs: number): 'nothing' | 'device' | 'agent';
}

/** Creates the counter; it begins anew every ten minutes. */
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
      return lateMs > longestSingleMs || isOverloaded(counts) ? 'agent' : 'device';
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
