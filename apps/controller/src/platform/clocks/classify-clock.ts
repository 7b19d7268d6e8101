import { minuteUs, secondUs } from '@vantage/domain';
import type { HeldStep } from './held-clock.ts';

/** The readings of other clocks, each compared with the controller's. Microseconds. */
export interface ClockEvidence {
  readonly held: HeldStep | undefined;
  readonly database: DatabaseReading | undefined;
  /** For each account that counts: the median of its agents' clocks minus the controller's (`heardAccounts`). */
  readonly agentsAheadUs: readonly number[];
  /** Whether the agents agreed with the controller's clock at an earlier comparison. */
  readonly haveAgentsAgreed: boolean;
  /** The time that the stored data proves, minus the controller's clock; undefined: nothing was stored. */
  readonly storedAheadUs: number | undefined;
  /** So long after the last start of a controller's clock this one began, where that is suspicious; else undefined. */
  readonly gapUs: number | undefined;
}

/** The database's clock. */
export interface DatabaseReading {
  /** Its clock minus the controller's. */
  readonly aheadUs: number;
  /** It runs on another machine, as far as the controller can tell. */
  readonly isApart: boolean;
  /** It agreed with the controller's clock at an earlier comparison. */
  readonly hasAgreed: boolean;
}

/** Whether the controller's clock is right, as far as other clocks can tell. */
export type ClockVerdict =
  /** `isConfirmed`: a clock of another machine says so. */
  | { readonly kind: 'agrees'; readonly isConfirmed: boolean }
  /** No clock disagrees, but the clock made a leap over the time without a controller. */
  | { readonly kind: 'unproven'; readonly text: string }
  /** The wall clock is right, and the controller's own count is not. */
  | { readonly kind: 'follow' }
  /**
   * `text` is a sentence for the operator. The controller's clock moves by `setByUs`, where it is given. `onlyAgents`:
   * nothing but the agents of accounts disagrees.
   */
  | { readonly kind: 'wrong'; readonly text: string; readonly setByUs?: number; readonly onlyAgents?: true };

const toleratedUs = minuteUs;
/** Stored results of clocks that were a little wrong may be ahead by this much. */
const toleratedStoredUs = 6 * minuteUs;
/** A step that no other clock speaks against is followed after this time. */
const undisputedMs = 300_000;

/*
 * The controller's clock is its own count: the wall clock of its machine, unless that made a step, or the row says
 * otherwise. The first row that fits decides. Two clocks agree when they are at most a minute apart.
 *
 * Witnesses are the agents (the median of the accounts, where more than half are on one side) and the database. A clock
 * is no witness for the wall clock where it may be the same one: a database on this machine, or a clock that agreed
 * with the count before a step and agrees with the wall clock after it. A database that disagrees is one in any case.
 * No clock is taken over without a witness when it is behind what was stored.
 *
 *   the wall clock left the count, and
 *     more witnesses agree with the wall clock than with the count     follow
 *     there is no witness for five minutes, and the wall clock is not
 *       behind what was stored                                         follow
 *     the database agrees with neither, and no witness with any       wrong; take the database's time
 *     otherwise                                                        wrong; keep the count
 *   the database disagrees, and it never agreed; no agents agree with
 *     the count, and the database is nearer to what was stored         wrong; take the database's time
 *   the database disagrees otherwise                                   wrong; keep the count
 *   the agents disagree                                                wrong; keep the count
 *   the count is behind what was stored, and no witness confirms it    wrong; count from what was stored
 *   a leap since the last run, and no witness                          unproven
 *   otherwise                                                          agrees
 */

/** Decides whether the controller's clock is right. Pure. */
export function classifyClock(evidence: ClockEvidence): ClockVerdict {
  const { held, database, storedAheadUs, gapUs } = evidence;
  const wallUs = held?.wallAheadUs ?? 0;
  const [agentsUs] = agreement(evidence.agentsAheadUs);
  const witnesses = witnessesOf(evidence, wallUs, agentsUs);
  if (held !== undefined) return judgeHeld(evidence, held, witnesses);
  if (database !== undefined && !isNear(database.aheadUs)) {
    const text = `the database's clock is ${showAhead(database.aheadUs)} of this machine's`;
    const isAlone = agentsUs === undefined || !isNear(agentsUs);
    if (isAlone && isNewTime(database) && isNearer(database.aheadUs, storedAheadUs))
      return wrong(`${text}; the controller uses the database's`, database.aheadUs);
    return wrong(text);
  }
  if (agentsUs !== undefined && !isNear(agentsUs))
    return {
      kind: 'wrong',
      text: `the clocks of the agents are ${showAhead(agentsUs)} of this machine's`,
      onlyAgents: true,
    };
  if (witnesses.length > 0) return { kind: 'agrees', isConfirmed: true };
  if (storedAheadUs !== undefined && storedAheadUs > toleratedStoredUs) {
    const text = `what was stored is ${showAhead(storedAheadUs)} of this machine's clock`;
    return wrong(`${text}; the controller counts on from there`, storedAheadUs);
  }
  if (gapUs !== undefined)
    return {
      kind: 'unproven',
      text: `this machine's clock is ${showTime(gapUs)} after the last time that was stored, and no other clock confirms it`,
    };
  return { kind: 'agrees', isConfirmed: false };
}

function judgeHeld(
  { database, storedAheadUs }: ClockEvidence,
  { wallAheadUs, forMs }: HeldStep,
  witnesses: readonly number[],
): ClockVerdict {
  const forWall = witnesses.filter((aheadUs) => isNear(aheadUs - wallAheadUs)).length;
  const forCount = witnesses.filter(isNear).length;
  const isUndisputed = witnesses.length === 0 && forMs >= undisputedMs;
  if (forWall > forCount || (isUndisputed && !isStale(wallAheadUs, storedAheadUs))) return { kind: 'follow' };
  const side = wallAheadUs > 0 ? 'ahead of' : 'behind';
  const text = `this machine's clock is ${showTime(wallAheadUs)} ${side} the controller's, which goes on by its own count`;
  if (
    forCount + forWall === 0 &&
    database !== undefined &&
    isNewTime(database) &&
    !isNear(database.aheadUs - wallAheadUs) &&
    isNearer(database.aheadUs, storedAheadUs)
  )
    return wrong(text, database.aheadUs);
  return wrong(text);
}

/** The readings that prove something about the wall clock. */
function witnessesOf(
  { held, database, haveAgentsAgreed }: ClockEvidence,
  wallUs: number,
  agentsUs: number | undefined,
): readonly number[] {
  const isWall = (us: number) => isNear(us - wallUs);
  const witnesses: number[] = [];
  const movedAlong = (hasAgreed: boolean, us: number) => held !== undefined && hasAgreed && isWall(us);
  if (database !== undefined) {
    const { aheadUs, isApart, hasAgreed } = database;
    const isSame = !isApart || movedAlong(hasAgreed, aheadUs);
    if (!(isSame && isWall(aheadUs))) witnesses.push(aheadUs);
  }
  if (agentsUs !== undefined && !movedAlong(haveAgentsAgreed, agentsUs)) witnesses.push(agentsUs);
  return witnesses;
}

/** The database's clock is another one, and it was not set while the controller ran. */
function isNewTime({ hasAgreed, aheadUs }: DatabaseReading): boolean {
  return !hasAgreed && !isNear(aheadUs);
}

/** This time is not behind what was stored, and nearer to it than the controller's. */
function isNearer(aheadUs: number, storedAheadUs: number | undefined): boolean {
  if (storedAheadUs === undefined) return true;
  return !isStale(aheadUs, storedAheadUs) && (aheadUs < 0 || isStale(0, storedAheadUs));
}

function isStale(aheadUs: number, storedAheadUs: number | undefined): boolean {
  return storedAheadUs !== undefined && storedAheadUs - aheadUs > toleratedStoredUs;
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

/** Whether two clocks that are this far apart agree. */
export function isNear(us: number): boolean {
  return Math.abs(us) <= toleratedUs;
}

function wrong(text: string, setByUs?: number): ClockVerdict {
  return setByUs === undefined ? { kind: 'wrong', text } : { kind: 'wrong', text, setByUs };
}

function showAhead(us: number): string {
  return `${showTime(us)} ${us > 0 ? 'ahead' : 'behind that'}`;
}

function showTime(us: number): string {
  const seconds = Math.round(Math.abs(us) / secondUs);
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
