import type { DueTimes } from './due-times.ts';

/** The settings of a Push device, as the engine needs them. Times are microseconds. */
export interface HeartbeatSettings {
  readonly due: DueTimes;
  readonly graceUs: number;
  /** A run that a `start` began ends within this time. */
  readonly maxRunUs: number;
  /** false: the device is paused. */
  readonly isEnabled: boolean;
}

export type CallKind = 'success' | 'start' | 'fail' | 'exit' | 'log';

/** A call of a job. */
export interface HeartbeatCall {
  readonly kind: CallKind;
  /** The run that it belongs to; empty where the job names none. */
  readonly runId: string;
  /** When it was received, by the controllers' shared time. */
  readonly atUs: number;
  /** Of the kind `exit`. */
  readonly exitStatus?: number;
}

/** A run that has not ended. Calls without a run id share one. */
export interface OpenRun {
  readonly runId: string;
  /** The first start that was not followed by an end: the run's time limit counts from it. */
  readonly firstUs: number;
  /** The last start, from which the duration counts. */
  readonly lastUs: number;
  /** Its time limit has passed, and was reported. It is kept, so that its end is known as one. */
  readonly isOverdue: boolean;
}

/** The state of a Push device between calls. Plain JSON, stored with its version. */
export interface HeartbeatState {
  readonly version: 1;
  /** `DueTimes.key` under which `dueUs` was computed. */
  readonly key: string;
  readonly isEnabled: boolean;
  /** The last moment up to which everything was judged. */
  readonly atUs: number;
  /** The next due time; null: no call has come yet, or the device is paused. */
  readonly dueUs: number | null;
  /** From here on calls count for `dueUs`: the call before it, or the moment at which counting began. */
  readonly sinceUs: number;
  /** The last call, of any kind; null before the first. */
  readonly lastCall: {
    readonly kind: CallKind;
    readonly atUs: number;
    readonly exitStatus: number | null;
  } | null;
  /** In the order of their first starts. */
  readonly runs: readonly OpenRun[];
}

/** Runs of one device that are followed at one time. */
export const maxOpenRuns = 100;

/** The state of a device that no job has called yet. */
export function newHeartbeat(settings: HeartbeatSettings, atUs: number): HeartbeatState {
  const { due, isEnabled } = settings;
  return { version: 1, key: due.key, isEnabled, atUs, dueUs: null, sinceUs: atUs, lastCall: null, runs: [] };
}

/**
 * The state under settings that may have changed since it was stored. Other due times, and a device that is enabled
 * again, count again from `nowUs`: what was due before belongs to settings that are gone. A device that nobody has
 * called yet keeps waiting for its first call.
 */
export function adaptHeartbeat(
  state: HeartbeatState,
  { due, isEnabled }: HeartbeatSettings,
  nowUs: number,
): HeartbeatState {
  if (state.key === due.key && state.isEnabled === isEnabled) return state;
  const next = { ...state, key: due.key, isEnabled, sinceUs: nowUs };
  if (!isEnabled) return { ...next, dueUs: null, runs: [] };
  return { ...next, dueUs: state.lastCall === null ? null : due.after(nowUs) };
}

/** A clock that goes back by more than this was corrected: calls of one device never overtake each other so far. */
const maxReorderUs = 60_000_000;

/**
 * The state at a moment that may be before its own, because the shared clock was corrected. What lies ahead of the
 * corrected clock was stored by the wrong one: counting starts again.
 */
export function rewindHeartbeat(
  state: HeartbeatState,
  { due }: HeartbeatSettings,
  nowUs: number,
): HeartbeatState {
  if (nowUs >= state.atUs - maxReorderUs) return state;
  const clamp = (us: number) => Math.min(us, nowUs);
  return {
    ...state,
    atUs: nowUs,
    sinceUs: clamp(state.sinceUs),
    dueUs: state.dueUs === null ? null : due.after(nowUs),
    lastCall: state.lastCall && { ...state.lastCall, atUs: clamp(state.lastCall.atUs) },
    runs: state.runs.map((run) => ({ ...run, firstUs: clamp(run.firstUs), lastUs: clamp(run.lastUs) })),
  };
}
