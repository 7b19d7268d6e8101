import type { AlertEvent } from './alert-facts.ts';
import { type AlertState, enterPhase } from './alert-state.ts';
import { suppressedBy } from './move.ts';

/** A device flaps after this many outages within `flappingWindowUs`. */
const flappingOutages = 3;

/** See `flappingOutages`; microseconds. A device that flaps is quiet again after the same time without a change. */
export const flappingWindowUs = 30 * 60_000_000;

/*
 * A change of the device's status while its alert is open:
 *
 *   phase      | Up                                                       | Down
 *   flapping   | the 30 quiet minutes begin anew                          | they begin anew; AlertSuppressed (flapping), once
 *   active     | third outage within 30 minutes: flapping; otherwise ended | the same outage goes on
 *   any other  | ended                                                    | the same outage goes on
 */

/** Confirmed outages of a device that ended within the window. Times are microseconds since 1970. */
export interface RecentOutages {
  readonly count: number;
  /** When the first of them was confirmed; null: there is none. */
  readonly activeUs: number | null;
  /** Begin of the first of them. */
  readonly sinceUs: number | null;
  /** Time down in all of them. */
  readonly downUs: number;
}

/** No outage ended within the window. */
export const noOutages: RecentOutages = { count: 0, activeUs: null, sinceUs: null, downUs: 0 };

/**
 * The alert after its device became Up at `upUs`; its outage began at `sinceUs`. DelayMinutes of a flapping count from
 * its first outage.
 */
export function afterUp(
  state: AlertState,
  {
    recent,
    sinceUs,
    upUs,
    nowUs,
  }: {
    readonly recent: RecentOutages;
    readonly sinceUs: number;
    readonly upUs: number;
    readonly nowUs: number;
  },
): AlertState {
  const { phase, flapping, activeUs } = state;
  if (phase === 'flapping' && flapping !== null) {
    const downUs =
      flapping.downUs + (flapping.downSinceUs === null ? 0 : Math.max(0, upUs - flapping.downSinceUs));
    return {
      ...state,
      phaseSinceUs: nowUs,
      flapping: { ...flapping, downUs, downSinceUs: null, saysDown: false },
    };
  }
  const outages = recent.count + 1;
  if (activeUs === null || outages < flappingOutages) return enterPhase(state, 'ended', nowUs);
  return {
    ...enterPhase(state, 'flapping', nowUs),
    activeUs: Math.min(activeUs, recent.activeUs ?? activeUs),
    announcesFlapping: true,
    flapping: {
      sinceUs: Math.min(sinceUs, recent.sinceUs ?? sinceUs),
      outages,
      downUs: recent.downUs + Math.max(0, upUs - sinceUs),
      downSinceUs: null,
      saysDown: false,
    },
  };
}

/** The alert after an event said again that its device is Down, since `sinceUs`. */
export function afterDown(
  state: AlertState,
  { sinceUs, nowUs }: { readonly sinceUs: number; readonly nowUs: number },
): { readonly state: AlertState; readonly events: readonly AlertEvent[] } {
  const { phase, flapping } = state;
  if (phase !== 'flapping' || flapping === null || flapping.downSinceUs !== null)
    return { state, events: [] };
  const detail = 'the device changes between Down and Up too often';
  const { state: next, events } = suppressedBy(state, 'flapping', detail);
  const down = { ...flapping, outages: flapping.outages + 1, downSinceUs: sinceUs, saysDown: false };
  return { state: { ...next, phaseSinceUs: nowUs, flapping: down }, events };
}
