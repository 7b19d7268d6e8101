import type { AlertDecision, AlertFacts, AlertMessage } from './alert-facts.ts';
import { type AlertEvent, type AlertState, enterPhase } from './alert-state.ts';
import { flapping } from './flapping.ts';
import {
  active,
  closed,
  confirming,
  end,
  judging,
  late,
  maintenance,
  type Transition,
  to,
  withoutDevice,
} from './transitions.ts';
import { partial, warning } from './warning.ts';

/*
 * The phases of an alert. The first row of a phase that fits decides; rows of "any" come first.
 *
 *   phase        facts                                           next
 *   ended        the device is Down again                        waits until it is Up, paused or deleted
 *   ended        otherwise                                       last message to all notified contacts; closed
 *   any          device deleted or paused, Location deleted      closed without a message to people; incidents elsewhere are closed
 *   any          no Location checks the device, or it is Unknown waits: its Location has the alert; this time is not quiet, and
 *                                                                does not count for the maximum time of late and confirming
 *   any          about Partial, the device is Down               waits: the outage has its own alert
 *   any          about Partial, it fails from no Location        ended
 *   any          about Partial, not in maintenance               active; it has no further phases
 *   any          a warning (slow, certificate, interface)                   active after a maintenance; its end is a separate event
 *   flapping     in maintenance                                  waits
 *   flapping     30 minutes without a change, Up                 message "Up" to all notified contacts; closed
 *   flapping     30 minutes without a change, Down               judging
 *   flapping     otherwise                                       "flapping" and "flapping, and Down", by flapping.ts
 *   any other    device is Up (its event was lost)               ended
 *   any          in maintenance, not notified yet                maintenance
 *   any          in maintenance                                  waits for the end of the window
 *   maintenance  window ended                                    judging
 *   late         live check failed                               judging
 *   late         none decided within the maximum time            judging, with a note
 *   late         no live check                                   one is requested
 *   judging      by decide-master.ts: sent                       active; confirming after a suppression, or if the master failed
 *   judging      by decide-master.ts: suppressed                 suppressed
 *   suppressed   master is no longer Down                        judging
 *   confirming   1 + Retries requested checks failed             judging (one check, if the master only had an error)
 *   confirming   not within the maximum time                     judging, with a note
 *   confirming   otherwise                                       the next check is requested, RetryDelay after the last one
 *   collecting   no further outage for a minute                  active
 *   active       –                                               steps of the schedule, see due-steps.ts
 *
 * The reason of an alert belongs to its phase: a transition to another phase removes it, unless it has a new reason. An
 * active alert has the note of its confirmation as the reason, from its next message on.
 *
 * Unattempted messages are withdrawn: all of them if the alert closes without a message, repeats if it ends or is
 * acknowledged. The first message to each contact stays, because the message about the end follows it.
 */

/** Decides the next state of an alert. Pure. */
export function decide(before: AlertState, facts: AlertFacts): AlertDecision {
  const events: AlertEvent[] = [];
  const messages: AlertMessage[] = [];
  let { reason } = facts;
  let withdraws: AlertDecision['withdraws'] = null;
  let state = before;
  // Each pass is one transition; no path through the table has as many phases.
  for (let pass = 0; pass < 10; pass += 1) {
    // A check that was requested in an earlier phase does not count in this one.
    const check = state.requestId === null ? ({ kind: 'none' } as const) : facts.check;
    const transition = transitionOf(state, { ...facts, check });
    events.push(...(transition.events ?? []));
    if (transition.message !== undefined && transition.message.contactIds.length > 0)
      messages.push(transition.message);
    if (transition.reason !== undefined) ({ reason } = transition);
    else if (transition.state.phase !== state.phase) reason = null;
    withdraws = transition.withdraws ?? withdraws;
    state = transition.state;
    if (transition.next === 'again') continue;
    const { dueUs = null, request = null, closes = false } = transition;
    return { state, dueUs, request, messages, events, reason, closes, withdraws };
  }
  const dueUs = facts.nowUs + facts.times.recheckUs;
  return { state, dueUs, request: null, messages, events, reason, closes: false, withdraws };
}

function transitionOf(state: AlertState, facts: AlertFacts): Transition {
  const { device, nowUs, times } = facts;
  const recheck: Transition = { state, next: 'wait', dueUs: nowUs + times.recheckUs };
  if (state.phase === 'ended') return isDown(device) ? recheck : end(state, facts);
  if (facts.isLocationDeleted) return closed(state, 'Location deleted');
  if (device === null) return withoutDevice(state, facts);
  if (device === 'missing') return closed(state, 'device deleted');
  if (!device.enabled) return closed(state, 'device paused');
  if (!device.isChecked || device.status === 'Unknown') return { ...recheck, state: unchecked(state, nowUs) };
  if (facts.isAboutPartial) return partial(state, device, facts);
  if (facts.isWarning) return warning(state, device, facts);
  if (state.phase === 'flapping') return flapping(state, device, facts);
  if (device.status === 'Up') return to(enterPhase(state, 'ended', nowUs));
  if (device.maintenanceUntilUs !== null) return maintenance(state, device.maintenanceUntilUs, facts);
  switch (state.phase) {
    case 'maintenance':
      return to({ ...enterPhase(state, 'judging', nowUs), judgedFromUs: state.phaseSinceUs });
    case 'late':
      return late(state, device, facts);
    case 'judging':
      return judging(state, device, facts);
    case 'suppressed': {
      const { master } = device;
      const isDown = master?.enabled === true && master.status === 'Down';
      if (isDown || (master !== null && nowUs < (state.judgeAgainUs ?? 0))) return recheck;
      return to(enterPhase(state, 'judging', nowUs));
    }
    case 'confirming':
      return confirming(state, device, facts);
    case 'collecting':
    case 'active':
      return active(state, facts);
  }
}

/** The alert while no Location checks its device. */
function unchecked(state: AlertState, nowUs: number): AlertState {
  switch (state.phase) {
    case 'flapping':
      return { ...state, phaseSinceUs: nowUs };
    case 'late':
    case 'confirming':
      return enterPhase(state, state.phase, nowUs);
    default:
      return state;
  }
}

function isDown(device: AlertFacts['device']): boolean {
  return device !== null && device !== 'missing' && device.enabled && device.status === 'Down';
}
