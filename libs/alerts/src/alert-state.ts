import type { SuppressionReason } from '@vantage/health';
import type { StepProgress } from './step-progress.ts';

/**
 * The phases of an alert: `late` waits for a live check, because late results opened it · `maintenance` waits for the
 * end of the window · `judging` verifies the master · `suppressed` waits for the master · `confirming` runs a separate
 * retry sequence of the device once the master is back · `active` notifies by the schedule · `flapping` waits for 30
 * quiet minutes · `collecting` gathers a summary · `ended` has its last message to send.
 */
export const alertPhases = [
  'late',
  'maintenance',
  'judging',
  'suppressed',
  'confirming',
  'active',
  'flapping',
  'collecting',
  'ended',
] as const;

export type AlertPhase = (typeof alertPhases)[number];

/** Outages of a device that are one problem. Times are microseconds since 1970. */
export interface Flapping {
  /** Start of the first outage. */
  readonly sinceUs: number;
  readonly outages: number;
  /** Time down in all ended outages. */
  readonly downUs: number;
  /** Start of the present outage; null: the device is Up. */
  readonly downSinceUs: number | null;
  /** The time of the last message about a Down, by contact_id. */
  readonly saidDownUs: Readonly<Record<string, number>>;
}

/** A confirmed outage that has ended. Times are microseconds since 1970. */
export interface PastOutage {
  /** The time of its confirmation. */
  readonly activeUs: number;
  readonly sinceUs: number;
  readonly upUs: number;
}

/** The state of an alert between its decisions. Plain JSON; times are microseconds since 1970. */
export interface AlertState {
  readonly phase: AlertPhase;
  readonly phaseSinceUs: number;
  /** Checks of the master count from this time: the device's first error, or the start of its separate sequence. */
  readonly judgedFromUs: number;
  /** The last requested check: of the master, or of the device in the phases `late` and `confirming`. */
  readonly requestId: string | null;
  /** Requested checks of this phase that failed. */
  readonly failedChecks: number;
  /**
   * The failed checks that the device itself needs before it alerts: one after an error of the master, a whole sequence
   * after the master was Down.
   */
  readonly ownChecks: 'none' | 'one' | 'sequence';
  /**
   * The time at which a suppressed alert is judged again although its master is not Down. Null: as soon as the master
   * is not Down.
   */
  readonly judgeAgainUs: number | null;
  /** The time of the confirmation, when the schedule began. Null: not confirmed. */
  readonly activeUs: number | null;
  /**
   * The time from which the schedule counts once the alert is confirmed again: the first outage of a flapping. Null:
   * the time of that confirmation.
   */
  readonly countsFromUs: number | null;
  readonly steps: readonly StepProgress[];
  /** A reservation about the confirmation, a line for people. */
  readonly note: string | null;
  /** Contacts that were notified, in the order of their first message. */
  readonly notified: readonly string[];
  /** Outages of this alert that ended without a message about the end, oldest first; at most `maxPastOutages`. */
  readonly past: readonly PastOutage[];
  /** Null: the device does not flap. */
  readonly flapping: Flapping | null;
  /** The device began to flap, and no contact has been notified of that. */
  readonly announcesFlapping: boolean;
  /** Systems that keep incidents closed theirs, because the schedule was removed. */
  readonly closedElsewhere: boolean;
  /** Systems that keep incidents were notified of the acknowledgement. */
  readonly announcedAcknowledgement: boolean;
  /** Contacts that are notified of the end by another alert of the device. */
  readonly heardElsewhere: readonly string[];
  /** Reasons for which this alert has an AlertSuppressed event. */
  readonly suppressions: readonly SuppressionReason[];
}

/** The state of an alert that opens in this phase. `judgedFromUs`: the device's first error. */
export function newAlertState(phase: AlertPhase, nowUs: number, judgedFromUs = nowUs): AlertState {
  return {
    phase,
    phaseSinceUs: nowUs,
    judgedFromUs,
    requestId: null,
    failedChecks: 0,
    ownChecks: 'none',
    judgeAgainUs: null,
    activeUs: null,
    countsFromUs: null,
    steps: [],
    note: null,
    notified: [],
    past: [],
    flapping: null,
    announcesFlapping: false,
    closedElsewhere: false,
    announcedAcknowledgement: false,
    heardElsewhere: [],
    suppressions: [],
  };
}

/** The same alert in another phase. Requested checks belong to one phase. */
export function enterPhase(state: AlertState, phase: AlertPhase, nowUs: number): AlertState {
  return { ...state, phase, phaseSinceUs: nowUs, requestId: null, failedChecks: 0 };
}

/** An event that an alert causes. */
export type AlertEvent =
  | { readonly kind: 'alert'; readonly note: string | null }
  | { readonly kind: 'suppressed'; readonly reason: SuppressionReason; readonly detail: string };

/** Adds an AlertSuppressed event, once for each reason. */
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
