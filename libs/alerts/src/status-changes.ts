import { minuteUs } from '@vantage/domain';
import {
  type AlertEvent,
  type AlertState,
  enterPhase,
  type PastOutage,
  suppressedBy,
} from './alert-state.ts';

/** A device flaps after this many outages within `flappingWindowUs`. */
const flappingOutages = 3;

/** See `flappingOutages`. A flapping device is quiet after the same time without a change. */
export const flappingWindowUs = 30 * minuteUs;

/** The maximum of outages that an alert remembers because they ended before a contact was notified. */
const maxPastOutages = 10;

/*
 * A change of the device's status while its alert is open:
 *
 *   phase      | Up                                                        | Down
 *   flapping   | the 30 quiet minutes start again                          | they start again; AlertSuppressed (flapping), once
 *   active     | third outage within 30 minutes: flapping; otherwise ended | the same outage continues
 *   ended      | –                                                         | starts again, see `reopened`
 *   any other  | ended                                                     | the same outage continues
 *
 * An alert is in the phase `ended` until its last message is decided. If the device is Down again before that, or
 * before the first attempt to send that message, the alert continues: no contact receives Up while the device is Down.
 */

/**
 * Reopens an ended alert whose end no contact has received, because its cause is back. It starts again as `opened`,
 * because a new outage has its own steps and acknowledgement. The contacts in `unaware` still count as notified, and
 * will be notified of the end. `over` is the outage that ended; null: it was never confirmed.
 */
export function reopened(
  ended: AlertState,
  opened: AlertState,
  { unaware, over }: { readonly unaware: readonly string[]; readonly over: PastOutage | null },
): AlertState {
  const past = over === null ? ended.past : [...ended.past, over];
  return { ...opened, notified: unaware, past: past.slice(-maxPastOutages) };
}

/** Total time down in these outages. */
export function downUsOf(outages: readonly PastOutage[]): number {
  return outages.reduce((sum, { sinceUs, upUs }) => sum + Math.max(0, upUs - sinceUs), 0);
}

/**
 * The alert after its device became Up at `upUs`; the outage began at `sinceUs`. `recent` are outages of the device
 * that other alerts were about. Outages that were confirmed within `windowUs` count as flapping. DelayMinutes of a
 * flapping count from its first outage.
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

/** The alert after another event for Down of its device, since `sinceUs`. */
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
