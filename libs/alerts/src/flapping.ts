import type { AlertFacts, DeviceFacts } from './alert-facts.ts';
import { type AlertState, enterPhase } from './alert-state.ts';
import { createOpening, isMeantFor } from './schedule.ts';
import { active, type Transition, to } from './transitions.ts';

/*
 * Who gets the message `device.flapping`, at each moment? Several rows may fit; each contact gets one message.
 *
 *   moment                                                     | the message goes to
 *   the third outage ended                                     | everyone who was notified of it, at any hour, because
 *                                                              |   it replaces Up
 *   a step is due, its delay counted from the first outage     | the contacts of the step; repeats as for Down
 *   the device is Down (below)                                 | the contacts of steps that sent a message before
 *
 *   a contact of such a step, and the present Down             | the message "flapping, and Down since …"
 *   no schedule; acknowledged; the master is Down              | none
 *   a message named this Down                                  | none
 *   no message named a Down in the last 30 minutes             | when the Down lasts 2 minutes
 *   one did                                                    | when those 30 minutes are over and the Down lasts 2
 *                                                              |   minutes, at the latest when it lasts 10 minutes
 *   due, alert snoozed                                         | when the snooze ends
 *   due, outside of the hours of all of its steps              | at the next opening of one of them
 *
 * So a flapping of two hours sends one message for its start, one for its end and at most one in 30 minutes between,
 * except for Downs of 10 minutes: a message names each of them.
 */

/** A message names a Down that lasts this many minutes. */
const downMinutes = 2;
/** Minutes after such a message in which no other Down is named … */
const restMinutes = 30;
/** … except one that lasts this many minutes. */
const longDownMinutes = 10;

/** A device that flaps: one problem, of which every step hears that comes due, and its final state. */
export function flapping(state: AlertState, device: DeviceFacts, facts: AlertFacts): Transition {
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
  // The steps of the next schedule start again, and announce the flapping.
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

/** Each message names the present Down. */
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

/** When each contact hears that the device is Down, if nothing changes. Pure. */
function downMessages(
  { flapping: problem, steps }: AlertState,
  { master, status }: DeviceFacts,
  { schedule, severity, acknowledged, snoozedUntilUs, times: { minuteUs }, nowUs }: AlertFacts,
): readonly { readonly contactId: string; readonly atUs: number }[] {
  if (problem === null || problem.downSinceUs === null || status !== 'Down') return [];
  if (schedule === null || schedule === 'unreadable' || acknowledged) return [];
  if (master?.enabled === true && master.status === 'Down') return [];
  const { downSinceUs, saidDownUs } = problem;
  const soonUs = downSinceUs + downMinutes * minuteUs;
  const latestUs = downSinceUs + longDownMinutes * minuteUs;
  return schedule.steps.flatMap((step, place) => {
    const isUnsent = (steps[place] ?? null) === null;
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
