import type { AlertedDevice, AlertFacts } from './alert-facts.ts';
import { type AlertState, enterPhase } from './alert-state.ts';
import { activated, active, alertEvent, maintenance, type Transition, to } from './transitions.ts';

/** A device that fails from some Locations only. */
export function partial(state: AlertState, device: AlertedDevice, facts: AlertFacts): Transition {
  const { nowUs, times } = facts;
  if (device.status === 'Down')
    return { state, next: 'wait', dueUs: nowUs + times.recheckUs, withdraws: 'repeats' };
  if (!device.isPartial) {
    const reason = 'the device works from all Locations again';
    const notified = state.notified.filter((id) => !state.heardElsewhere.includes(id));
    const message = { about: 'closed', contactIds: state.heardElsewhere } as const;
    return to({ ...enterPhase(state, 'ended', nowUs), notified }, { reason, message });
  }
  return warning({ ...state, heardElsewhere: [] }, device, facts);
}

/** A device that is Up, with something to report. */
export function warning(state: AlertState, device: AlertedDevice, facts: AlertFacts): Transition {
  if (device.maintenanceUntilUs !== null) return maintenance(state, device.maintenanceUntilUs, facts);
  if (state.activeUs === null) return to(activated(state, facts.nowUs), alertEvent(null));
  return active(state, facts);
}
