import type { SuppressionReason } from '@vantage/health';
import type { AlertDecision, AlertEvent, AlertMessage } from './alert-facts.ts';
import type { AlertState } from './alert-state.ts';

/** One move of an alert through the table of decide.ts. */
export interface Move {
  readonly state: AlertState;
  /** Another move follows at once, or the alert waits. */
  readonly next: 'again' | 'wait';
  readonly dueUs?: number | null;
  readonly request?: AlertDecision['request'];
  readonly message?: AlertMessage;
  readonly events?: readonly AlertEvent[];
  /** Why the alert is as it is now; null: its phase says all. Absent: as before, while it stays in its phase. */
  readonly reason?: string | null;
  readonly closes?: boolean;
  readonly withdraws?: 'all' | 'repeats';
}

/** The alert goes on in its new phase at once. */
export function to(state: AlertState, more: Partial<Move> = {}): Move {
  return { ...more, state, next: 'again' };
}

/** The alert closes: people get no message any more, and systems that keep incidents close theirs. */
export function closed(state: AlertState, reason: string): Move {
  const message = { about: 'closed', contactIds: state.notified } as const;
  return { state, next: 'wait', closes: true, withdraws: 'all', reason, message };
}

/** An AlertSuppressed event, once for each reason. */
export function suppressedBy(
  state: AlertState,
  reason: SuppressionReason,
  detail: string,
): { readonly state: AlertState; readonly events: readonly AlertEvent[]; readonly reason: string } {
  if (state.suppressions.includes(reason)) return { state, events: [], reason: detail };
  const suppressions = [...state.suppressions, reason];
  return {
    state: { ...state, suppressions },
    events: [{ kind: 'suppressed', reason, detail }],
    reason: detail,
  };
}
