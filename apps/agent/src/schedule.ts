/** When an assignment is due: every t with t mod interval = phase and floor(t / interval) mod turns = turn. */
export interface Turns {
  /** At least 1. */
  readonly intervalMs: number;
  /** 0 <= phase < interval. */
  readonly phaseMs: number;
  /** 0 <= turn < turns. */
  readonly turn: number;
  /** At least 1. */
  readonly turns: number;
}

/** What makes turns unusable, or undefined. */
export function faultOfTurns({ intervalMs, phaseMs, turn, turns }: Turns): string | undefined {
  if (intervalMs < 1) return 'interval_ms is 0';
  if (phaseMs >= intervalMs) return 'phase_ms is not below interval_ms';
  if (turns < 1) return 'turns is 0';
  if (turn >= turns) return 'turn is not below turns';
  return undefined;
}

/** The first due time after `afterUs`, microseconds. */
export function nextDueUs(turns: Turns, afterUs: number): number {
  const last = lastDueUs(turns, afterUs);
  return last + periodUs(turns);
}

/** The last due time at or before `atUs`, microseconds. */
export function lastDueUs(turns: Turns, atUs: number): number {
  const period = periodUs(turns);
  const shift = (turns.turn * turns.intervalMs + turns.phaseMs) * 1000;
  return Math.floor((atUs - shift) / period) * period + shift;
}

/** How many due times lie in (fromUs, toUs]. */
export function duesBetween(turns: Turns, fromUs: number, toUs: number): number {
  if (toUs <= fromUs) return 0;
  return Math.round((lastDueUs(turns, toUs) - lastDueUs(turns, fromUs)) / periodUs(turns));
}

/** Longest time over which the checks missed in a gap are caught up, milliseconds. */
const catchUpMs = 60_000;

/**
 * When to look next after a gap (a suspended host, a step of the clock) that ended at `nowUs`: the next due time, or, where
 * that is far off and a due time fell into the gap, once within a minute, spread by the phase so that there is no burst.
 */
export function afterGapUs(turns: Turns, dueUs: number, nowUs: number): number {
  const next = nextDueUs(turns, nowUs);
  if (dueUs > nowUs || next <= nowUs + catchUpMs * 1000) return next;
  return nowUs + (turns.phaseMs % catchUpMs) * 1000;
}

function periodUs(turns: Turns): number {
  return turns.intervalMs * turns.turns * 1000;
}
