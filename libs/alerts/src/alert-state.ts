import type { SuppressionReason } from '@vantage/health';
import type { StepProgress } from './step-progress.ts';

/**
 * How far an alert is: `late` waits for a live check, because late results opened it · `maintenance` waits for the end
 * of the window · `judging` verifies the master · `suppressed` waits for the master · `confirming` runs a retry
 * sequence of the device's own after the master was back · `active` notifies by the schedule · `flapping` waits for 30
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

/** One of `alertPhases`. */
export type AlertPhase = (typeof alertPhases)[number];

/** Outages of a device that are one problem. Times are microseconds since 1970. */
export interface Flapping {
  /** Begin of the first outage. */
  readonly sinceUs: number;
  readonly outages: number;
  /** Time down in all outages that ended. */
  readonly downUs: number;
  /** Begin of the present outage; null: the device is Up. */
  readonly downSinceUs: number | null;
  /** Everybody heard of the present outage. */
  readonly saysDown: boolean;
}

/** An outage that was confirmed and is over. Times are microseconds since 1970. */
export interface PastOutage {
  /** When it was confirmed. */
  readonly activeUs: number;
  readonly sinceUs: number;
  readonly upUs: number;
}

/** The state of an alert between its decisions. Plain JSON; times are microseconds since 1970. */
export interface AlertState {
  readonly phase: AlertPhase;
  readonly phaseSinceUs: number;
  /** A check of the master counts from here on: the device's first error, or the begin of its own retry sequence. */
  readonly judgedFromUs: number;
  /** The check that was requested last, of the master, or of the device in the phases `late` and `confirming`. */
  readonly requestId: string | null;
  /** Requested checks of this phase that failed. */
  readonly failedChecks: number;
  /**
   * Failed checks of its own that the device needs before it alerts: 1 after the master had an error, a whole sequence
   * after it was Down.
   */
  readonly ownChecks: 'none' | 'one' | 'sequence';
  /**
   * A suppressed alert is judged again at this time though its master is not Down. Null: as soon as the master is not
   * Down.
   */
  readonly judgeAgainUs: number | null;
  /** When the alert was confirmed and its schedule began. Null: not yet. */
  readonly activeUs: number | null;
  /**
   * The schedule counts from here once the alert is confirmed again: the first outage of a flapping. Null: from then
   * on.
   */
  readonly countsFromUs: number | null;
  readonly steps: readonly StepProgress[];
  /** With what reservation it was confirmed, one line for people. Null: none. */
  readonly note: string | null;
  /** Contacts that were notified, in the order of their first message. */
  readonly notified: readonly string[];
  /** Outages of this alert that were over without a message that said so, oldest first; at most `mostPastOutages`. */
  readonly past: readonly PastOutage[];
  /** Null: the device does not flap. */
  readonly flapping: Flapping | null;
  /** The device began to flap and nobody was notified of that yet. */
  readonly announcesFlapping: boolean;
  /** Systems that keep incidents closed theirs, because the schedule was taken away. */
  readonly closedElsewhere: boolean;
  /** Systems that keep incidents were notified that somebody acknowledged it. */
  readonly announcedAcknowledgement: boolean;
  /** Contacts that hear of the end by another alert of the device. */
  readonly heardElsewhere: readonly string[];
  /** Reasons with which this alert has an AlertSuppressed event. */
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
