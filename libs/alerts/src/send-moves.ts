import type { AlertFacts } from './alert-facts.ts';
import { type AlertState, enterPhase } from './alert-state.ts';
import { dueSteps } from './due-steps.ts';
import { type Move, suppressedBy, to } from './move.ts';
import { isMeantFor } from './schedule.ts';

/** The last message of an alert, to everyone who was notified. */
export function end(state: AlertState, { nowUs }: AlertFacts): Move {
  const isUnsaid =
    state.activeUs !== null && state.notified.length === 0 && !state.suppressions.includes('schedule');
  const silent = isUnsaid
    ? suppressedBy(state, 'schedule', 'it was over before the schedule notified anybody')
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

/** A summary is complete when no outage was added for a minute; every other alert without a device notifies at once. */
export function withoutDevice(state: AlertState, facts: AlertFacts): Move {
  const { nowUs, times } = facts;
  if (state.phase !== 'collecting') return active(state, facts);
  const dueUs = state.phaseSinceUs + times.minuteUs;
  return nowUs < dueUs ? { state, next: 'wait', dueUs } : to(activated(state, nowUs), alertEvent(null));
}

/** The alert is confirmed: its schedule begins. */
export function activated(state: AlertState, nowUs: number, note: string | null = null): AlertState {
  const activeUs = state.countsFromUs ?? nowUs;
  return { ...enterPhase(state, 'active', nowUs), activeUs, countsFromUs: null, steps: [], note };
}

/** The event of a confirmed alert. */
export function alertEvent(note: string | null): Partial<Move> {
  return { events: [{ kind: 'alert', note }], reason: note };
}

const unreadable = 'this version cannot read the notification schedule';

/** The steps of the schedule. */
export function active(state: AlertState, facts: AlertFacts): Move {
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
    // Its steps begin anew with the next schedule: the incidents that they opened are closed now.
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
