import type { HeldStep } from './held-clock.ts';

/** The readings of other clocks, each compared with the controller's. Microseconds. */
export interface ClockEvidence {
  readonly held: HeldStep | undefined;
  /** The database's clock minus the controller's; undefined: the database runs on this machine. */
  readonly databaseAheadUs: number | undefined;
  /** For each account with agents on other machines: the median of its agents' clocks minus the controller's. */
  readonly agentsAheadUs: readonly number[];
  /**
   * The newest time that was stored before this start, minus the controller's clock; undefined: nothing was stored, or
   * the start is an hour ago.
   */
  readonly storedAheadUs: number | undefined;
}

/** Whether the controller's clock is right, as far as other clocks can tell. */
export type ClockVerdict =
  | { readonly kind: 'agrees' }
  /** The wall clock is right, and the controller's own count is not. */
  | { readonly kind: 'follow' }
  /** `text` is a sentence for the operator. */
  | { readonly kind: 'wrong'; readonly text: string };

const toleratedUs = 60_000_000;
/** Results of a wrong clock are accepted up to five minutes ahead, so what is stored may be ahead by that. */
const toleratedStoredUs = 360_000_000;
/** A step that no other clock speaks against is followed after this time. */
const undisputedMs = 300_000;

/*
 * The first row that fits decides. A clock agrees with another one when they are at most a minute apart.
 *
 *   the machine's clock was set by more than a minute,
 *     the database's clock, or the agents, agree with the new time      follow
 *     the database's clock, or the agents, agree with the time before   wrong: the controller goes on by its own count
 *     no other clock is known, for less than five minutes               wrong, as above
 *     no other clock is known, for five minutes                         follow
 *   the database's clock does not agree                                 wrong
 *   the agents of more than half of the accounts do not agree, all of   wrong
 *     them ahead or all of them behind
 *   what was stored before the start is from the future                 wrong
 *   otherwise                                                           agrees
 */

/** Decides whether the controller's clock is right. An account counts once, however many agents it has. Pure. */
export function judgeClock(evidence: ClockEvidence): ClockVerdict {
  const { held, databaseAheadUs, agentsAheadUs, storedAheadUs } = evidence;
  const others = [...(databaseAheadUs === undefined ? [] : [databaseAheadUs]), ...agreement(agentsAheadUs)];
  if (held !== undefined) {
    const { wallAheadUs, forMs } = held;
    if (others.some((aheadUs) => isNear(aheadUs - wallAheadUs))) return { kind: 'follow' };
    if (others.length === 0 && forMs >= undisputedMs) return { kind: 'follow' };
    return wrong(
      `this machine's clock was set ${showStep(wallAheadUs)} while the controller ran; the controller goes on by its own count`,
    );
  }
  if (databaseAheadUs !== undefined && !isNear(databaseAheadUs))
    return wrong(`the database's clock is ${showAhead(databaseAheadUs)} of this machine's`);
  const [agentsUs] = agreement(agentsAheadUs);
  if (agentsUs !== undefined && !isNear(agentsUs))
    return wrong(`the clocks of the agents are ${showAhead(agentsUs)} of this machine's`);
  if (storedAheadUs !== undefined && storedAheadUs > toleratedStoredUs)
    return wrong(`the newest stored results are ${showAhead(storedAheadUs)} of this machine's clock`);
  return { kind: 'agrees' };
}

/** The median of the accounts' offsets, where more than half of the accounts are on its side of the tolerance. */
function agreement(aheadUs: readonly number[]): readonly number[] {
  const sorted = [...aheadUs].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (median === undefined) return [];
  const sideOf = (us: number) => (isNear(us) ? 0 : Math.sign(us));
  const same = sorted.filter((us) => sideOf(us) === sideOf(median)).length;
  return same * 2 > sorted.length ? [median] : [];
}

function isNear(us: number): boolean {
  return Math.abs(us) <= toleratedUs;
}

function wrong(text: string): ClockVerdict {
  return { kind: 'wrong', text };
}

function showAhead(us: number): string {
  return `${showTime(us)} ${us > 0 ? 'ahead' : 'behind that'}`;
}

function showStep(us: number): string {
  return `${us > 0 ? 'forward' : 'back'} by ${showTime(us)}`;
}

function showTime(us: number): string {
  const seconds = Math.round(Math.abs(us) / 1_000_000);
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
