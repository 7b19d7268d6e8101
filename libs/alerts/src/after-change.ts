import type { AlertEvent } from './alert-facts.ts';
import { type AlertState, enterPhase } from './alert-state.ts';
import { suppressedBy } from './move.ts';

/** A device flaps after this many pairs of Down and Up within `flappingWindowUs`. */
const flappingPairs = 3;

/** See `flappingPairs`; microseconds. A device that flaps is quiet again after the same time without a change. */
export const flappingWindowUs = 30 * 60_000_000;

/*
 * A change of the device's status while its alert is open:
 *
 *   phase      | Up                                                       | Down
 *   flapping   | the 30 quiet minutes begin anew                          | they begin anew; AlertSuppressed (flapping), once
 *   active     | third pair within 30 minutes: flapping; otherwise ended   | the same outage goes on
 *   any other  | ended                                                    | the same outage goes on
 */

/** The alert after its device became Up. `pairs` counts the confirmed outages that ended within the window, this one included. */
export function afterUp(
  state: AlertState,
  { pairs, nowUs }: { readonly pairs: number; readonly nowUs: number },
): AlertState {
  if (state.phase === 'flapping') return { ...state, phaseSinceUs: nowUs };
  if (state.activeUs !== null && pairs >= flappingPairs)
    return { ...enterPhase(state, 'flapping', nowUs), announcesFlapping: true };
  return enterPhase(state, 'ended', nowUs);
}

/** The alert after an event said again that its device is Down. */
export function afterDown(
  state: AlertState,
  nowUs: number,
): { readonly state: AlertState; readonly events: readonly AlertEvent[] } {
  if (state.phase !== 'flapping') return { state, events: [] };
  const { state: next, events } = suppressedBy(
    state,
    'flapping',
    'the device changes between Down and Up too often',
  );
  return { state: { ...next, phaseSinceUs: nowUs }, events };
}
