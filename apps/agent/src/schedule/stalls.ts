import { resultCode } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';

/**
 * Detects that this process stood still (suspended host, stopped process, starved event loop). Timers of running checks
 * then fire although their targets had no time to answer.
 */
export interface Stalls {
  /** Call this often. A call that is late by more than the threshold is a stall. Returns its length, else 0. */
  tick(): number;
  /** The host has slept until now. */
  noteSleep(): void;
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

/** Creates the detector. The process stood still when two calls of `tick` are more than `thresholdMs` apart. */
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
    noteSleep() {
      stalledAtMs = monoMs();
    },
    since(sinceMs) {
      tick();
      return stalledAtMs > sinceMs;
    },
  };
}
