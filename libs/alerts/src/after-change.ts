import { minuteUs } from '@vantage/domain';
import type { AlertEvent } from './alert-facts.ts';
import { type AlertState, enterPhase, type PastOutage } from './alert-state.ts';
import { suppressedBy } from './move.ts';

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
      flapping: { ...flapping, downUs, downSinceUs: null, saysDown: false },
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
      saysDown: false,
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
  const down = { ...flapping, outages: flapping.outages + 1, downSinceUs: sinceUs, saysDown: false };
  return { state: { ...next, phaseSinceUs: nowUs, flapping: down }, events };
}
