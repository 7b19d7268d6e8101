/**
 * How long a waiting time of the rules really lasts: as long as it says, but in tests that compress time
 * (VANTAGE_TEST_TIME_SCALE). `atLeast` keeps a time from being shorter than what the machine needs for it. Any unit.
 *
 * What guards against silence on the network (heartbeats, pings, Timeout) is not a rule's waiting time and stays as it is.
 */
export type TimeScale = (length: number, atLeast?: number) => number;

/** The pace of everything outside tests. */
export const realTime: TimeScale = (length) => length;

/** The pace at which waiting times pass `scale` times faster. */
export function createTimeScale(scale: number): TimeScale {
  return scale === 1 ? realTime : (length, atLeast = 0) => Math.max(atLeast, Math.round(length / scale));
}
