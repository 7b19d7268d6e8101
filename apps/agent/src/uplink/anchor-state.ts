/**
 * The result of a check of an anchor: it answered, it did not, or this agent could not check it (`unchecked`: its
 * policy, its rights).
 */
export type AnchorAnswer = 'answered' | 'silent' | 'unchecked';

/** The agent's state of one anchor. Times are milliseconds of the agent's corrected clock, since 1970. */
export interface AnchorState {
  readonly kind: 'new' | 'answers' | 'silent' | 'unchecked';
  /** Begin of this kind. */
  readonly sinceMs: number;
  /** How many checks in a row contradicted `kind`. */
  readonly contradictions: number;
  /** When the first of them began. */
  readonly contradictedMs: number;
  /** The last check in words. */
  readonly text: string;
}

/** A check of one anchor. */
export interface AnchorCheck {
  readonly answer: AnchorAnswer;
  readonly startMs: number;
  readonly text: string;
}

/** Checks in a row that change the state of an anchor: one lost packet, or one that comes through, changes nothing. */
const confirmedBy = 2;

/** An anchor that was not checked yet. */
export function newAnchorState(nowMs: number): AnchorState {
  return { kind: 'new', sinceMs: nowMs, contradictions: 0, contradictedMs: nowMs, text: 'not checked yet' };
}

/*
 * One round checks all anchors at once. The state of an anchor after it:
 *
 *   state       | answered                   | silent                    | unchecked
 *   new         | answers                    | silent after two in a row | unchecked
 *   answers     | answers                    | silent after two in a row | unchecked
 *   silent      | answers after two in a row | silent                    | unchecked after two in a row
 *   unchecked   | answers                    | silent after two in a row | unchecked
 *
 * An anchor does not become silent while a nearer one is about to: the nearer one is the cause, so it is reported first
 * or with it. A silent anchor is silent since the first check that it missed.
 */

/** The states after a round; `checks` belong to `states` by their places, near to far. Pure. */
export function afterRound(
  states: readonly AnchorState[],
  checks: readonly AnchorCheck[],
): readonly AnchorState[] {
  const next: AnchorState[] = [];
  for (const [place, state] of states.entries()) {
    const check = checks[place];
    const isHeld = next.some(isSuspected);
    next.push(check === undefined ? state : afterCheck(state, check, isHeld));
  }
  return next;
}

/** It missed a check and is not silent yet. */
function isSuspected({ kind, contradictions }: AnchorState): boolean {
  return kind !== 'silent' && contradictions > 0;
}

function afterCheck(
  before: AnchorState,
  { answer, startMs, text }: AnchorCheck,
  isHeld: boolean,
): AnchorState {
  const kind = answer === 'answered' ? 'answers' : answer;
  const state = { ...before, text };
  if (kind === before.kind) return { ...state, contradictions: 0 };
  const contradictedMs = before.contradictions === 0 ? startMs : before.contradictedMs;
  const contradictions = Math.min(before.contradictions + 1, confirmedBy);
  const isConfirmed = contradictions === confirmedBy && !(kind === 'silent' && isHeld);
  const needsTwo = kind === 'silent' || before.kind === 'silent';
  if (needsTwo && !isConfirmed) return { ...state, contradictions, contradictedMs };
  return { kind, sinceMs: needsTwo ? contradictedMs : startMs, contradictions: 0, contradictedMs, text };
}
