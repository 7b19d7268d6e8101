import type { AlertDecision, AlertedDevice, AlertFacts, AlertMessage } from './alert-facts.ts';
import { type AlertEvent, type AlertState, enterPhase, suppressedBy } from './alert-state.ts';
import { decideMaster } from './decide-master.ts';
import { dueSteps } from './due-steps.ts';
import { isMeantFor } from './schedule.ts';

/** One transition of an alert through the table of decide.ts. */
export interface Transition {
  readonly state: AlertState;
  /** `again`: another transition follows at once. */
  readonly next: 'again' | 'wait';
  readonly dueUs?: number | null;
  readonly request?: AlertDecision['request'];
  readonly message?: AlertMessage;
  readonly events?: readonly AlertEvent[];
  /** The reason for the state; null: the phase suffices. Absent: as before, while the alert stays in its phase. */
  readonly reason?: string | null;
  readonly closes?: boolean;
  readonly withdraws?: 'all' | 'repeats';
}

/** The alert continues in its new phase at once. */
export function to(state: AlertState, more: Partial<Transition> = {}): Transition {
  return { ...more, state, next: 'again' };
}

/** The alert closes: people receive no more messages, and systems that keep incidents close theirs. */
export function closed(state: AlertState, reason: string): Transition {
  const message = { about: 'closed', contactIds: state.notified } as const;
  return { state, next: 'wait', closes: true, withdraws: 'all', reason, message };
}

/** A device in maintenance sends no notifications. */
export function maintenance(state: AlertState, untilUs: number, { nowUs, times }: AlertFacts): Transition {
  const dueUs = Math.min(untilUs, nowUs + times.recheckUs);
  if (state.phase === 'maintenance' || state.activeUs !== null) return { state, next: 'wait', dueUs };
  const entered = enterPhase(state, 'maintenance', nowUs);
  return { ...suppressedBy(entered, 'maintenance', 'the device is in maintenance'), next: 'wait', dueUs };
}

/** The device is not Up by late results: a live check decides. */
export function late(state: AlertState, device: AlertedDevice, facts: AlertFacts): Transition {
  const { check, nowUs, times } = facts;
  if (check.kind === 'answered' && check.verdict === 'bad') return to(enterPhase(state, 'judging', nowUs));
  if (isUnconfirmed(state, device, facts))
    return to({ ...enterPhase(state, 'judging', nowUs), note: unconfirmed });
  return requestDevice(state, device, facts, nowUs + times.recheckUs);
}

/** The note of an alert without a decisive answer to its requested checks. */
const unconfirmed = 'not confirmed by checks on request: too few of them got an answer that decides';

/** Whether the requested checks had no decisive answer within their maximum time, and none is open. */
function isUnconfirmed(
  { phaseSinceUs }: AlertState,
  { maxConfirmUs }: AlertedDevice,
  { check, nowUs }: AlertFacts,
): boolean {
  const isOpen = check.kind === 'open' && nowUs <= check.deadlineUs;
  return !isOpen && nowUs >= phaseSinceUs + maxConfirmUs;
}

/** The master decides. */
export function judging(
  state: AlertState,
  device: AlertedDevice,
  { check, nowUs, times }: AlertFacts,
): Transition {
  const failed = state.failedChecks + (check.kind === 'answered' && check.verdict === 'bad' ? 1 : 0);
  const at = { failed, sinceUs: state.phaseSinceUs, nowUs };
  const judgement = decideMaster(device.master, check, at);
  switch (judgement.kind) {
    case 'send':
      if (state.ownChecks === 'sequence' || device.masterWasDown)
        return to({ ...enterPhase(state, 'confirming', nowUs), ownChecks: 'sequence' });
      if (judgement.isBack) return to({ ...enterPhase(state, 'confirming', nowUs), ownChecks: 'one' });
      return activate(state, nowUs, judgement.note ?? state.note);
    case 'suppress': {
      const judgeAgainUs = judgement.isDown ? null : nowUs + times.recheckUs;
      const entered = {
        ...enterPhase(state, 'suppressed', nowUs),
        ownChecks: 'sequence' as const,
        judgeAgainUs,
      };
      const dueUs = nowUs + times.recheckUs;
      return { ...suppressedBy(entered, 'master', judgement.detail), next: 'wait', dueUs };
    }
    case 'request': {
      const request = { target: 'master', notBeforeUs: judgement.notBeforeUs } as const;
      return { state: { ...state, failedChecks: failed, requestId: null }, next: 'wait', request };
    }
    case 'wait': {
      const dueUs = Math.min(judgement.untilUs, nowUs + times.recheckUs);
      const isFirst = judgement.fails && state.failedChecks === 0 && device.master?.isCheckedHere === true;
      return { state: isFirst ? { ...state, failedChecks: 1 } : state, next: 'wait', dueUs };
    }
  }
}

/** The master is back: the device needs a complete retry sequence. */
export function confirming(state: AlertState, device: AlertedDevice, facts: AlertFacts): Transition {
  const { check, nowUs, times } = facts;
  const { master } = device;
  if (master?.enabled === true && master.status === 'Down') return to(enterPhase(state, 'judging', nowUs));
  const isBad = check.kind === 'answered' && check.verdict === 'bad';
  const failedChecks = state.failedChecks + (isBad ? 1 : 0);
  if (failedChecks >= (state.ownChecks === 'one' ? 1 : 1 + device.retries)) {
    return to(judgedAgain(state, nowUs, null));
  }
  if (isUnconfirmed(state, device, facts)) return to(judgedAgain(state, nowUs, unconfirmed));
  if (isBad) {
    const request = { target: 'device', notBeforeUs: check.endUs + device.retryDelayUs } as const;
    if (device.canBeChecked)
      return { state: { ...state, failedChecks, requestId: null }, next: 'wait', request };
  }
  return requestDevice(state, device, facts, nowUs + times.recheckUs);
}

/** The device needs no more checks: its master is judged again. */
function judgedAgain(state: AlertState, nowUs: number, note: string | null): AlertState {
  return {
    ...enterPhase(state, 'judging', nowUs),
    ownChecks: 'none',
    judgedFromUs: state.phaseSinceUs,
    note,
  };
}

/**
 * Requests a check of the device if none is open. If no agent can run it, or it is not decisive, retries at `againUs`.
 */
function requestDevice(
  state: AlertState,
  device: AlertedDevice,
  { check, nowUs }: AlertFacts,
  againUs: number,
): Transition {
  if (check.kind === 'open' && nowUs <= check.deadlineUs)
    return { state, next: 'wait', dueUs: check.deadlineUs + 1 };
  if (check.kind === 'none' && device.canBeChecked)
    return { state, next: 'wait', request: { target: 'device', notBeforeUs: 0 } };
  return { state: { ...state, requestId: null }, next: 'wait', dueUs: againUs };
}

/** The last message of an alert, to all notified contacts. */
export function end(state: AlertState, { nowUs }: AlertFacts): Transition {
  const wasNeverSent =
    state.activeUs !== null && state.notified.length === 0 && !state.suppressions.includes('schedule');
  const silent = wasNeverSent
    ? suppressedBy(state, 'schedule', 'it ended before the schedule notified a contact')
    : { state, events: [] };
  return {
    ...silent,
    state: { ...silent.state, phaseSinceUs: nowUs },
    next: 'wait',
    closes: true,
    withdraws: 'repeats',
    message: { about: 'end', contactIds: state.notified },
  };
}

/**
 * A summary is complete after a minute without a further outage. Every other alert without a device notifies at once.
 */
export function withoutDevice(state: AlertState, facts: AlertFacts): Transition {
  const { nowUs, times } = facts;
  if (state.phase !== 'collecting') return active(state, facts);
  const dueUs = state.phaseSinceUs + times.minuteUs;
  return nowUs < dueUs ? { state, next: 'wait', dueUs } : to(activated(state, nowUs), alertEvent(null));
}

function activate(state: AlertState, nowUs: number, note: string | null): Transition {
  return to(activated(state, nowUs, note), alertEvent(note));
}

/** The alert is confirmed: its schedule begins. */
export function activated(state: AlertState, nowUs: number, note: string | null = null): AlertState {
  const activeUs = state.countsFromUs ?? nowUs;
  return { ...enterPhase(state, 'active', nowUs), activeUs, countsFromUs: null, steps: [], note };
}

/** The event of a confirmed alert. */
export function alertEvent(note: string | null): Partial<Transition> {
  return { events: [{ kind: 'alert', note }], reason: note };
}

const unreadable = 'this version cannot read the notification schedule';

/** The steps of the schedule. */
export function active(state: AlertState, facts: AlertFacts): Transition {
  const { schedule, severity, isMoment, nowUs, times } = facts;
  const activeUs = state.activeUs ?? nowUs;
  if (schedule === 'unreadable') {
    const dueUs = nowUs + times.recheckUs;
    return { state: { ...state, activeUs }, next: 'wait', reason: unreadable, dueUs };
  }
  if (schedule === null || !schedule.steps.some((step) => isMeantFor(step, severity))) {
    const detail =
      schedule === null
        ? 'no notification schedule is set'
        : `no step of the schedule is for severity ${severity}`;
    // The steps start again with the next schedule, because the incidents that they opened are closed now.
    const silent = suppressedBy({ ...state, activeUs, steps: [], closedElsewhere: true }, 'schedule', detail);
    const message = { about: 'closed', contactIds: state.closedElsewhere ? [] : state.notified } as const;
    return {
      message,
      ...silent,
      next: 'wait',
      closes: isMoment,
      dueUs: isMoment ? null : nowUs + times.recheckUs,
    };
  }
  const { acknowledged, snoozedUntilUs } = facts;
  if (acknowledged && !state.announcedAcknowledgement) {
    const message = { about: 'acknowledged', contactIds: state.notified } as const;
    return to({ ...state, activeUs, announcedAcknowledgement: true }, { message });
  }
  const decision = dueSteps({
    schedule,
    severity,
    activeUs,
    progress: state.steps,
    notified: state.notified,
    acknowledged,
    snoozedUntilUs,
    repeats: !isMoment,
    minuteUs: times.minuteUs,
    nowUs,
  });
  const notified = [...new Set([...state.notified, ...decision.contactIds])];
  const recheckUs = nowUs + times.recheckUs;
  const isOld = state.closedElsewhere || facts.reason === unreadable || decision.contactIds.length > 0;
  return {
    state: { ...state, activeUs, steps: decision.progress, notified, closedElsewhere: false },
    next: 'wait',
    ...(isOld ? { reason: state.note } : {}),
    message: {
      about: state.phase === 'flapping' ? 'flapping' : 'opening',
      contactIds: decision.contactIds,
      stepOf: decision.stepOf,
    },
    ...(acknowledged ? { withdraws: 'repeats' } : {}),
    closes: isMoment && decision.nextUs === null,
    dueUs: Math.min(decision.nextUs ?? recheckUs, recheckUs),
  };
}
