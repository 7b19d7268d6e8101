/**
 * A stored time that is further ahead than it can be was stored while the clock was ahead: it counts as now. Times are
 * microseconds. Pure.
 */
export function clampAhead(us: number, nowUs: number, maxAheadUs = 0): number {
  return us > nowUs + maxAheadUs ? nowUs : us;
}
