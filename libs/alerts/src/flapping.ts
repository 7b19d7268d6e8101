import type { AlertedDevice, AlertFacts } from './alert-facts.ts';
import { type AlertState, enterPhase } from './alert-state.ts';
import { createOpening } from './opening-hours.ts';
import { isMeantFor } from './schedule.ts';
import { active, type Transition, to } from './transitions.ts';

/*
 * The contacts that receive the message `device.flapping`. Several rows may fit; each contact receives one message.
 *
 *   moment                                                     | contacts
 *   the third outage ended                                     | all notified contacts, at any hour, because the message
 *                                                              |   replaces Up
 *   a step is due, its delay counted from the first outage     | the contacts of the step; repeats as for Down
 *   the device is Down (below)                                 | the contacts of steps that sent a message before
 *
 *   such a contact during the present Down                     | time of the message "flapping, and Down since …"
 *   no schedule; acknowledged; the master is Down              | never
 *   a message named this Down                                  | never
 *   no message named a Down in the last 30 minutes             | when the Down lasts 2 minutes
 *   a message did                                              | when those 30 minutes have passed and the Down lasts 2
 *                                                              |   minutes, at the latest when it lasts 10 minutes
 *   due, alert snoozed                                         | when the snooze ends
 *   due, outside the hours of all of its steps                 | at the next opening of one of them
 *
 * So a flapping of two hours sends one message at its start, one at its end, and at most one in 30 minutes in between,
 * except for Downs of 10 minutes, each of which is named.
 */

/** A message names a Down that lasts this many minutes. */
const downMinutes = 2;
/** For this time after such a message, shorter Downs than `longDownMinutes` are not named. */
const restMinutes = 30;
const longDownMinutes = 10;

/** The transition of an alert whose device flaps: every step that comes due notifies of one problem. */
export function flapping(state: AlertState, device: AlertedDevice, facts: AlertFacts): Transition {
  const { nowUs, times } = facts;
  if (device.maintenanceUntilUs !== null) {
    return { state, next: 'wait', dueUs: Math.min(device.maintenanceUntilUs, nowUs + times.recheckUs) };
  }
  const quietAtUs = state.phaseSinceUs + times.quietUs;
  if (nowUs >= quietAtUs) {
    if (device.status === 'Up') return to(enterPhase(state, 'ended', nowUs));
    return to({
      ...enterPhase(state, 'judging', nowUs),
      judgedFromUs: nowUs,
      activeUs: null,
      countsFromUs: state.activeUs,
      steps: [],
      note: null,
      flapping: null,
      announcesFlapping: false,
    });
  }
  const transition = active(state, facts);
  if (transition.next === 'again') return transition;
  const dueUs = Math.min(transition.dueUs ?? quietAtUs, quietAtUs);
  const { message } = transition;
  // The steps of the next schedule start from the beginning, and announce the flapping.
  if (message?.about === 'closed')
    return { ...transition, dueUs, state: { ...transition.state, announcesFlapping: false } };
  if (message === undefined) return { ...transition, dueUs };
  const down = downMessages(transition.state, device, facts);
  const downNow = down.filter(({ atUs }) => atUs <= nowUs).map(({ contactId }) => contactId);
  const start = state.announcesFlapping ? state.notified : [];
  const contactIds = [...new Set([...start, ...message.contactIds, ...downNow])];
  return {
    ...transition,
    state: {
      ...transition.state,
      announcesFlapping: false,
      flapping: afterMessage(state, contactIds, nowUs),
    },
    message: { ...message, contactIds },
    dueUs: Math.min(dueUs, ...down.map(({ atUs }) => atUs).filter((atUs) => atUs > nowUs)),
  };
}

/** Each message of a flapping names the present Down. */
function afterMessage(
  { flapping: before }: AlertState,
  contactIds: readonly string[],
  nowUs: number,
): AlertState['flapping'] {
  if (before === null || before.downSinceUs === null) return before;
  const saidDownUs = { ...before.saidDownUs };
  for (const id of contactIds) saidDownUs[id] = nowUs;
  return { ...before, saidDownUs };
}

/** The times at which contacts are notified that the device is Down, if nothing changes. Pure. */
function downMessages(
  { flapping: problem, steps }: AlertState,
  { master, status }: AlertedDevice,
  { schedule, severity, acknowledged, snoozedUntilUs, times: { minuteUs }, nowUs }: AlertFacts,
): readonly { readonly contactId: string; readonly atUs: number }[] {
  if (problem === null || problem.downSinceUs === null || status !== 'Down') return [];
  if (schedule === null || schedule === 'unreadable' || acknowledged) return [];
  if (master?.enabled === true && master.status === 'Down') return [];
  const { downSinceUs, saidDownUs } = problem;
  const soonUs = downSinceUs + downMinutes * minuteUs;
  const latestUs = downSinceUs + longDownMinutes * minuteUs;
  return schedule.steps.flatMap((step, index) => {
    const isUnsent = (steps[index] ?? null) === null;
    if (isUnsent || !isMeantFor(step, severity)) return [];
    const opening = createOpening(step.timezone ?? schedule.timezone);
    return step.contactIds.flatMap((contactId) => {
      const saidUs = saidDownUs[contactId] ?? null;
      if (saidUs !== null && saidUs >= downSinceUs) return [];
      const restedUs = saidUs === null ? soonUs : Math.max(soonUs, saidUs + restMinutes * minuteUs);
      const dueUs = Math.max(Math.min(restedUs, latestUs), snoozedUntilUs ?? 0, nowUs);
      const atUs = opening.next(step, dueUs);
      return atUs === undefined ? [] : [{ contactId, atUs }];
    });
  });
}
