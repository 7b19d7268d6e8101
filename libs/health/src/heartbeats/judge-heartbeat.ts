import type { Span } from '@vantage/domain';
import type { HeartbeatSettings, HeartbeatState, OpenRun } from './heartbeat-state.ts';

/*
 * The rules. A due time D is met by a call after `from(D)`; `every`: from the call before it, `cron`: a little before D
 * (`earlyUs`). An outage is a span in which no controller could receive calls.
 *
 *   until D + grace             | the call after it  | at D + grace, or one grace after the last outage of the window
 *   a call came                 | next due time      | -
 *   no call, no outage          | -                  | late (bad)
 *   no call, an outage in the   | -                  | unsure (inconclusive); due times in the outage are none of their
 *   window from(D) .. D + grace |                    | own
 *
 *   a run that has not ended    |                    | at its first start + MaxRun, or one grace after the outage
 *   no outage since its start   |                    | overrun (bad)
 *   an outage since its start   |                    | unsure (inconclusive), because its end may be lost
 */

/** A moment at which something is missing. */
export type MissedCall = { readonly atUs: number; readonly isUnsure: boolean } & (
  | { readonly kind: 'late'; readonly dueUs: number; readonly sinceUs: number }
  | { readonly kind: 'overrun'; readonly run: OpenRun }
);

export interface JudgedHeartbeat {
  readonly state: HeartbeatState;
  readonly missed: readonly MissedCall[];
}

/** The most moments of one call of the function; its caller judges the others next. */
const maxMissed = 100;

/**
 * Judges every moment before `toUs`. `outages` are in order, apart from each other, and complete from the start of the
 * oldest window on (`windowFrom`). A deadline at `toUs` itself is not judged, because a call at this moment is in time.
 */
export function judgeHeartbeat(
  before: HeartbeatState,
  settings: HeartbeatSettings,
  toUs: number,
  outages: readonly Span[],
): JudgedHeartbeat {
  let state = before;
  const missed: MissedCall[] = [];
  while (missed.length < maxMissed) {
    const next = nextMissed(state, settings, outages);
    if (next === undefined || next.atUs >= toUs)
      return { state: { ...state, atUs: Math.max(state.atUs, toUs) }, missed };
    missed.push(next);
    state = afterMissed(state, settings, next, outages);
  }
  return { state, missed };
}

/** The first moment at which something is missing if no call comes. */
function nextMissed(
  state: HeartbeatState,
  settings: HeartbeatSettings,
  outages: readonly Span[],
): MissedCall | undefined {
  if (!state.isEnabled) return undefined;
  const { dueUs, sinceUs } = state;
  const found: MissedCall[] = [];
  if (dueUs !== null) {
    const end = endOf(
      { fromUs: dueFrom(state, settings, dueUs), toUs: dueUs + settings.graceUs },
      settings,
      outages,
    );
    found.push({ kind: 'late', dueUs, sinceUs, ...end });
  }
  for (const run of state.runs)
    if (!run.isOverdue) {
      const end = endOf({ fromUs: run.firstUs, toUs: run.firstUs + settings.maxRunUs }, settings, outages);
      found.push({ kind: 'overrun', run, ...end });
    }
  let first: MissedCall | undefined;
  for (const one of found) if (first === undefined || one.atUs < first.atUs) first = one;
  return first && { ...first, atUs: Math.max(first.atUs, state.atUs) };
}

/** The start of the window in which a call counts for the due time. */
function dueFrom(state: HeartbeatState, { due }: HeartbeatSettings, dueUs: number): number {
  return due.kind === 'every' ? state.sinceUs : Math.max(state.sinceUs, dueUs - due.earlyUs(dueUs));
}

/** The end of a window, one grace after the last outage in it. */
function endOf(
  window: Span,
  { graceUs }: HeartbeatSettings,
  outages: readonly Span[],
): { readonly atUs: number; readonly isUnsure: boolean } {
  let atUs = window.toUs;
  let isUnsure = false;
  for (const { fromUs, toUs } of outages)
    if (fromUs < atUs && toUs > window.fromUs) {
      isUnsure = true;
      atUs = Math.max(atUs, toUs + graceUs);
    }
  return { atUs, isUnsure };
}

function afterMissed(
  state: HeartbeatState,
  { due }: HeartbeatSettings,
  missed: MissedCall,
  outages: readonly Span[],
): HeartbeatState {
  const { atUs } = missed;
  if (missed.kind === 'overrun') {
    const runs = state.runs.map((run) => (run === missed.run ? { ...run, isOverdue: true } : run));
    return { ...state, atUs, runs };
  }
  if (!missed.isUnsure) return { ...state, atUs, dueUs: due.after(missed.dueUs) };
  // What was due while nobody could receive calls is judged together.
  const lastUs = outages.findLast(({ fromUs }) => fromUs < atUs)?.toUs ?? missed.dueUs;
  const fromUs = Math.max(missed.dueUs, Math.min(lastUs, atUs));
  const sinceUs = due.kind === 'every' ? fromUs : state.sinceUs;
  return { ...state, atUs, dueUs: due.after(fromUs), sinceUs };
}

/** The first moment at which something is missing if no call comes; undefined: never. */
export function nextMomentUs(
  state: HeartbeatState,
  settings: HeartbeatSettings,
  outages: readonly Span[] = [],
): number | undefined {
  return nextMissed(state, settings, outages)?.atUs;
}

/** From when on the outages must be known to judge this state. */
export function windowFromUs(state: HeartbeatState, settings: HeartbeatSettings): number {
  const runs = state.runs.filter(({ isOverdue }) => !isOverdue).map(({ firstUs }) => firstUs);
  const { dueUs } = state;
  return Math.min(...runs, dueUs === null ? state.atUs : dueFrom(state, settings, dueUs));
}
