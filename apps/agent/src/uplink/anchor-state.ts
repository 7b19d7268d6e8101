/** The result of a check of an anchor. `unchecked`: this agent could not check it (its policy, its rights). */
export type AnchorAnswer = 'answered' | 'silent' | 'unchecked';

/** The agent's state of one anchor. Times are milliseconds since 1970 by the corrected clock. */
export interface AnchorState {
  readonly kind: 'new' | 'answers' | 'silent' | 'unchecked';
  /** Start of this kind. */
  readonly sinceMs: number;
  /** The number of consecutive checks that contradict `kind`. */
  readonly contradictions: number;
  /** Start of the first of them. */
  readonly contradictedMs: number;
  /** Description of the last check. */
  readonly text: string;
}

export interface AnchorCheck {
  readonly answer: AnchorAnswer;
  readonly startMs: number;
  readonly text: string;
}

/**
 * Consecutive checks that change the state of an anchor. A single lost packet, or a single one that arrives, changes
 * nothing.
 */
const confirmedBy = 2;

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

/** The states after a round. `checks` and `states` have the same order, near to far. Pure. */
export function afterRound(
  states: readonly AnchorState[],
  checks: readonly AnchorCheck[],
): readonly AnchorState[] {
  const next: AnchorState[] = [];
  for (const [index, state] of states.entries()) {
    const check = checks[index];
    const isPostponed = next.some(isSuspected);
    next.push(check === undefined ? state : afterCheck(state, check, isPostponed));
  }
  return next;
}

/** Whether the anchor missed a check and is not silent yet. */
function isSuspected({ kind, contradictions }: AnchorState): boolean {
  return kind !== 'silent' && contradictions > 0;
}

function afterCheck(
  before: AnchorState,
  { answer, startMs, text }: AnchorCheck,
  isPostponed: boolean,
): AnchorState {
  const kind = answer === 'answered' ? 'answers' : answer;
  const state = { ...before, text };
  if (kind === before.kind) return { ...state, contradictions: 0 };
  const contradictedMs = before.contradictions === 0 ? startMs : before.contradictedMs;
  const contradictions = Math.min(before.contradictions + 1, confirmedBy);
  const isConfirmed = contradictions === confirmedBy && !(kind === 'silent' && isPostponed);
  const needsTwo = kind === 'silent' || before.kind === 'silent';
  if (needsTwo && !isConfirmed) return { ...state, contradictions, contradictedMs };
  return { kind, sinceMs: needsTwo ? contradictedMs : startMs, contradictions: 0, contradictedMs, text };
}
