import { resultCode } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';

/**
 * Notices when this process stood still (suspended host, stopped process, starved event loop). Then timers of running
 * checks fire although their targets had no time to answer.
 */
export interface Stalls {
  /** Call often; a call that comes late by more than the threshold is a stall. Returns the stall's length, else 0. */
  tick(): number;
  /** The host is known to have slept until now. */
  mark(): void;
  /** Whether the process stood still since this monotonic time. */
  since(monoMs: number): boolean;
}

/** The measurement of a check that failed while the process stood still. It proves nothing about the device. */
export function asStalled(measurement: Measurement): Measurement {
  return {
    ...measurement,
    code: resultCode.agent,
    text: `this agent stood still during the check, several times in a row (this check: ${measurement.text})`,
    slow: false,
  };
}

/** Creates the detector: the process stood still when two calls of `tick` lie further apart than `thresholdMs`. */
export function createStalls(deps: { readonly monoMs: () => number; readonly thresholdMs: number }): Stalls {
  const { monoMs, thresholdMs } = deps;
  let lastMs = monoMs();
  let stalledAtMs = Number.NEGATIVE_INFINITY;
  const tick = () => {
    const nowMs = monoMs();
    const gapMs = nowMs - lastMs;
    lastMs = nowMs;
    if (gapMs <= thresholdMs) return 0;
    stalledAtMs = nowMs;
    return gapMs;
  };
  return {
    tick,
    mark() {
      stalledAtMs = monoMs();
    },
    since(sinceMs) {
      tick();
      return stalledAtMs > sinceMs;
    },
  };
}
