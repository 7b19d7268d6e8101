import type { Clock } from '@vantage/kernel';

/**
 * The agent's own time: the wall clock at its start, continued by the monotonic clock, so that no step of the wall
 * clock moves it. The time that the host slept is added.
 */
export interface AgentTime {
  /** Uncorrected, whole microseconds since 1970. */
  rawUs(): number;
  /** Corrected by the present offset: the controller's clock, whole microseconds since 1970. */
  nowUs(): number;
  /** The present offset, controller minus agent, microseconds. */
  readonly offsetUs: number;
  setOffset(offsetUs: number): void;
  /** The controller's clock minus this host's wall clock, microseconds; stored for the next start. */
  wallOffsetUs(): number;
  /** Adds the time that the host slept since the last call and returns it in milliseconds. */
  detectSleep(): number;
}

/** A shorter difference between the clocks is their granularity, milliseconds. */
const sleepThresholdMs = 1000;

/** Creates the agent's time. `upMs` is the time since boot including sleep; the monotonic clock excludes it. */
export function createAgentTime(deps: {
  readonly clock: Clock;
  readonly upMs: () => number;
  /** The last known value of controller minus wall clock. */
  readonly wallOffsetUs: number;
}): AgentTime {
  const { clock, upMs } = deps;
  let baseUs = clock.nowUs() - clock.monoMs() * 1000;
  let aheadMs = upMs() - clock.monoMs();
  let offsetUs = deps.wallOffsetUs;
  const rawUs = () => Math.round(baseUs + clock.monoMs() * 1000);
  return {
    rawUs,
    nowUs: () => rawUs() + offsetUs,
    get offsetUs() {
      return offsetUs;
    },
    setOffset(value) {
      offsetUs = Math.round(value);
    },
    wallOffsetUs: () => rawUs() + offsetUs - clock.nowUs(),
    detectSleep() {
      const nowAheadMs = upMs() - clock.monoMs();
      const sleptMs = nowAheadMs - aheadMs;
      aheadMs = nowAheadMs;
      if (sleptMs < sleepThresholdMs) {
        aheadMs -= Math.max(0, sleptMs);
        return 0;
      }
      baseUs += Math.round(sleptMs * 1000);
      return sleptMs;
    },
  };
}
