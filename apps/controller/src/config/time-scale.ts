/**
 * The real duration of a waiting time of the rules, in any unit. It is shorter only in tests that compress time
 * (VANTAGE_TEST_TIME_SCALE). `atLeast` is the minimum that the machine needs.
 *
 * Limits for silence on the network (heartbeats, pings, Timeout) are never scaled.
 */
export type TimeScale = (length: number, atLeast?: number) => number;

/** The time scale outside tests. */
export const realTime: TimeScale = (length) => length;

/** The time scale at which waiting times pass `scale` times faster. */
export function createTimeScale(scale: number): TimeScale {
  return scale === 1 ? realTime : (length, atLeast = 0) => Math.max(atLeast, Math.round(length / scale));
}

/** The minimum pause between two rounds of an idle job, milliseconds, because each round reads the database. */
export const shortestRoundMs = 500;
