import { minuteUs } from '@vantage/domain';
import type { SuppressionReason } from '@vantage/health';
import type { StepProgress } from './due-steps.ts';

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
  /** When a message of this flapping last named a Down, by the contact_id of its contact. */
  readonly saidDownUs: Readonly<Record<string, number>>;
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

/** An event that an alert makes. */
export type AlertEvent =
  | { readonly kind: 'alert'; readonly note: string | null }
  | { readonly kind: 'suppressed'; readonly reason: SuppressionReason; readonly detail: string };

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

/** A device flaps after this many outages within `flappingWindowUs`. */
const flappingOutages = 3;

/** See `flappingOutages`; microseconds. A device that flaps is quiet again after the same time without a change. */
export const flappingWindowUs = 30 * minuteUs;

/** An alert remembers at most so many outages that were over before anybody heard of it. */
const mostPastOutages = 10;

/*
 * A change of the device's status while its alert is open:
 *
 *   phase      | Up                                                        | Down
 *   flapping   | the 30 quiet minutes begin anew                           | they begin anew; AlertSuppressed (flapping), once
 *   active     | third outage within 30 minutes: flapping; otherwise ended | the same outage goes on
 *   ended      | –                                                         | begins anew, see `reopened`
 *   any other  | ended                                                     | the same outage goes on
 *
 * An alert is in the phase `ended` until its last message left the decision. A device that is Down again by then, or
 * while that message waits and was never attempted, goes on with the same alert: nobody hears Up while it is Down.
 */

/**
 * An alert whose end nobody heard of, when what it is about is there again: it begins anew as `opened`, because a new
 * outage has steps and an acknowledgement of its own. Those of `unaware` still count as notified, and hear of the end.
 * `over`: the outage that was over, null where it was never confirmed.
 */
export function reopened(
  ended: AlertState,
  opened: AlertState,
  { unaware, over }: { readonly unaware: readonly string[]; readonly over: PastOutage | null },
): AlertState {
  const past = over === null ? ended.past : [...ended.past, over];
  return { ...opened, notified: unaware, past: past.slice(-mostPastOutages) };
}

/** Time down in all of these outages, microseconds. */
export function downUsOf(outages: readonly PastOutage[]): number {
  return outages.reduce((sum, { sinceUs, upUs }) => sum + Math.max(0, upUs - sinceUs), 0);
}

/**
 * The alert after its device became Up at `upUs`; its outage began at `sinceUs`. `recent`: the outages of the device
 * that other alerts were about. DelayMinutes of a flapping count from its first outage. `windowUs`: outages that were
 * confirmed within it count as flapping.
 */
export function afterUp(
  state: AlertState,
  {
    recent = [],
    sinceUs,
    upUs,
    nowUs,
    windowUs = flappingWindowUs,
  }: {
    readonly recent?: readonly PastOutage[];
    readonly sinceUs: number;
    readonly upUs: number;
    readonly nowUs: number;
    readonly windowUs?: number;
  },
): AlertState {
  const { flapping, activeUs } = state;
  if (flapping !== null) {
    const downUs =
      flapping.downUs + (flapping.downSinceUs === null ? 0 : Math.max(0, upUs - flapping.downSinceUs));
    return {
      ...state,
      phaseSinceUs: nowUs,
      flapping: { ...flapping, downUs, downSinceUs: null },
    };
  }
  if (activeUs === null) return enterPhase(state, 'ended', nowUs);
  const before = [...recent, ...state.past].filter((outage) => outage.activeUs > nowUs - windowUs);
  const outages = [...before, { activeUs, sinceUs, upUs }];
  if (outages.length < flappingOutages) return enterPhase(state, 'ended', nowUs);
  return {
    ...enterPhase(state, 'flapping', nowUs),
    past: [],
    activeUs: Math.min(...outages.map((outage) => outage.activeUs)),
    announcesFlapping: true,
    flapping: {
      sinceUs: Math.min(...outages.map((outage) => outage.sinceUs)),
      outages: outages.length,
      downUs: downUsOf(outages),
      downSinceUs: null,
      saidDownUs: {},
    },
  };
}

/** The alert after an event said again that its device is Down, since `sinceUs`. */
export function afterDown(
  state: AlertState,
  { sinceUs, nowUs }: { readonly sinceUs: number; readonly nowUs: number },
): { readonly state: AlertState; readonly events: readonly AlertEvent[] } {
  const { flapping } = state;
  if (flapping === null || flapping.downSinceUs !== null) return { state, events: [] };
  const detail = 'the device changes between Down and Up too often';
  const { state: next, events } = suppressedBy(state, 'flapping', detail);
  const down = { ...flapping, outages: flapping.outages + 1, downSinceUs: sinceUs };
  return { state: { ...next, phaseSinceUs: nowUs, flapping: down }, events };
}
