/**
 * The real duration of a waiting time of the rules. It differs only in tests that compress time
 * (VANTAGE_TEST_TIME_SCALE). `atLeast` keeps a time from being shorter than what the machine needs for it. Any unit.
 *
 * Limits for silence on the network (heartbeats, pings, Timeout) are no waiting times of the rules and are never
 * scaled.
 */
export type TimeScale = (length: number, atLeast?: number) => number;

/** The time scale outside tests. */
export const realTime: TimeScale = (length) => length;

/** The time scale at which waiting times pass `scale` times faster. */
export function createTimeScale(scale: number): TimeScale {
  return scale === 1 ? realTime : (length, atLeast = 0) => Math.max(atLeast, Math.round(length / scale));
}

/** The shortest pause between two rounds of a job that nothing woke, milliseconds: each round reads the database. */
export const shortestRoundMs = 500;
