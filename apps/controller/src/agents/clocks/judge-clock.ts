import { dayUs, minuteUs, secondUs } from '@vantage/domain';
import type { AgentsWord } from './agents-word.ts';
import { isNear, showAhead, showTime } from './clock-difference.ts';

/*
 * The shared time is the database's clock plus a correction that the database stores as well. The correction is 0
 * unless the database's clock is wrong. Two clocks are near when they are at most a minute apart.
 *
 * At the start of a controller the first row that fits decides:
 *   nothing was stored yet                                            the database's clock
 *   the shared time is near the one that controllers stored just now   the shared time
 *   the database's clock fits what was stored                         the database's clock
 *   this machine's clock fits it                                      this machine's clock
 *   the database's clock is ahead of it                               the database's clock
 *   otherwise                                                         what was stored
 *
 * A running controller keeps counting. The first row that fits decides:
 *   another controller decided                                        the shared time
 *   the database's clock is near the count                            the database's clock
 *   it is near the time that controllers stored just now              the database's clock (this machine was stopped)
 *   the agents' clocks are near the database's, or near the count     the one that they are near
 *   this machine's clock is near the count, or near that of a
 *     database on another machine                                     the one that it is near
 *   no clock says anything for five minutes, and the database's is
 *     not behind what was stored                                      the database's clock
 *   otherwise                                                         the count
 */

/** Clocks, each minus the controller's. Microseconds. */
export interface ClockFacts {
  readonly databaseAheadUs: number;
  /** Controllers add this to the database's clock. */
  readonly correctionUs: number;
  /** Another controller changed the correction since the last comparison. */
  readonly isDecided: boolean;
  readonly machineAheadUs: number;
  /** The database runs on another machine, as far as the controller can tell. */
  readonly isApart: boolean;
  readonly agentsAheadUs: number | undefined;
  /** Undefined: nothing was stored. */
  readonly stored: StoredTime | undefined;
  /** The database's clock has been this far from the count for this time, milliseconds. */
  readonly differsForMs: number;
}

/** The times in the database. */
export interface StoredTime {
  /** At least so much time passed; it is never too far ahead. */
  readonly agreedUs: number;
  /** The shared time when a controller wrote it last. */
  readonly seenUs: number;
}

/** Stored results of clocks that were a little wrong may be ahead by this much. */
const toleratedStoredUs = 6 * minuteUs;
/** A controller that runs writes the time more often than this. */
const seenWithinUs = 90 * secondUs;
/** A clock that is ahead of what was stored by more is suspicious. */
export const leapUs = 2 * dayUs;
/** Clocks that no other clock speaks against are followed after this time. */
const undisputedMs = 300_000;

/** The correction with which a controller starts, microseconds. Times are since 1970. Pure. */
export function correctionAtStart({
  databaseUs,
  machineUs,
  correctionUs,
  stored,
}: {
  readonly databaseUs: number;
  readonly machineUs: number;
  readonly correctionUs: number;
  readonly stored: StoredTime | undefined;
}): number {
  if (stored === undefined) return 0;
  if (isSeen(databaseUs + correctionUs, stored)) return correctionUs;
  const fits = (us: number) => !isBehind(us, stored) && us - stored.seenUs <= leapUs;
  if (fits(databaseUs)) return 0;
  if (fits(machineUs)) return machineUs - databaseUs;
  return isBehind(databaseUs, stored) ? stored.agreedUs - databaseUs : 0;
}

/** The correction of the database's clock from now on, microseconds. Pure. */
export function chooseCorrection(facts: ClockFacts): number {
  const { databaseAheadUs, correctionUs, isDecided } = facts;
  if (isDecided) return correctionUs;
  if (isDatabaseRight(facts)) return 0;
  const isGoingOn = correctionUs !== 0 && isNear(databaseAheadUs + correctionUs);
  return isGoingOn ? correctionUs : -databaseAheadUs;
}

function isDatabaseRight(facts: ClockFacts): boolean {
  const { databaseAheadUs, machineAheadUs, agentsAheadUs, isApart, stored, differsForMs } = facts;
  if (isNear(databaseAheadUs)) return true;
  if (stored !== undefined && isSeen(databaseAheadUs, stored)) return true;
  const isDatabases = (us: number) => isNear(us - databaseAheadUs);
  if (agentsAheadUs !== undefined) {
    if (isDatabases(agentsAheadUs)) return true;
    if (isNear(agentsAheadUs)) return false;
  }
  if (isNear(machineAheadUs)) return false;
  if (isApart && isDatabases(machineAheadUs)) return true;
  return differsForMs >= undisputedMs && (stored === undefined || !isBehind(databaseAheadUs, stored));
}

/** Controllers stored this time just now. */
function isSeen(us: number, { seenUs }: StoredTime): boolean {
  return us - seenUs >= -minuteUs && us - seenUs <= seenWithinUs;
}

function isBehind(us: number, { agreedUs }: StoredTime): boolean {
  return agreedUs - us > toleratedStoredUs;
}

/** Whether the shared time is right, as far as other clocks can tell. */
export type ClockVerdict =
  /** `isConfirmed`: a clock of another machine says so. */
  | { readonly kind: 'agrees'; readonly isConfirmed: boolean }
  /** No clock disagrees, but the time made a leap while no controller ran. */
  | { readonly kind: 'unproven'; readonly text: string }
  /** `text` is a sentence for the operator. `onlyAgents`: nothing but agents of accounts disagrees. */
  | { readonly kind: 'wrong'; readonly text: string; readonly onlyAgents?: true };

/** Judges the time that was chosen. `gapUs` is the leap before the start, while it is suspicious. Pure. */
export function judgeClock({
  correctionUs,
  machineAheadUs,
  isApart,
  agents,
  gapUs,
}: Pick<ClockFacts, 'correctionUs' | 'machineAheadUs' | 'isApart'> & {
  readonly agents: AgentsWord;
  readonly gapUs: number | undefined;
}): ClockVerdict {
  if (correctionUs !== 0)
    return wrong(
      `the database's clock is ${showAhead(-correctionUs)} the controller's, which keeps its own time`,
    );
  if (!isNear(machineAheadUs))
    return wrong(
      `this machine's clock is ${showAhead(machineAheadUs)} the database's, which the controller uses`,
    );
  if (agents.isMajority && agents.aheadUs !== undefined && !isNear(agents.aheadUs))
    return {
      ...wrong(`the clocks of the agents are ${showAhead(agents.aheadUs)} the database's`),
      onlyAgents: true,
    };
  if (isApart || (agents.aheadUs !== undefined && isNear(agents.aheadUs)))
    return { kind: 'agrees', isConfirmed: true };
  if (gapUs !== undefined)
    return {
      kind: 'unproven',
      text: `the clock is ${showTime(gapUs)} after the last time that was stored, and no other clock confirms it`,
    };
  return { kind: 'agrees', isConfirmed: false };
}

function wrong(text: string) {
  return { kind: 'wrong', text } as const;
}
