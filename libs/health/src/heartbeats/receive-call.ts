import type { Span } from '@vantage/domain';
import {
  type HeartbeatCall,
  type HeartbeatSettings,
  type HeartbeatState,
  maxOpenRuns,
  type OpenRun,
} from './heartbeat-state.ts';
import { judgeHeartbeat, type MissedCall } from './judge-heartbeat.ts';

/** The end of a run, as a call reported it. */
export interface RunEnd {
  readonly atUs: number;
  readonly isGood: boolean;
  /** Its start, if a call told it. */
  readonly startedUs: number | null;
}

export interface ReceivedCall {
  readonly state: HeartbeatState;
  /** The errors of missing calls before the call. */
  readonly missed: readonly MissedCall[];
  /** null for a `start` and a `log`. */
  readonly end: RunEnd | null;
}

/*
 *   call           | due time                                                 | runs
 *   start          | met                                                      | begins the run, or begins it again
 *   success, fail, | met by the start where one came (`cron`), else by the    | ends the run
 *   exit           | end; `every`: by both                                    |
 *   log            | not met                                                  | -
 */

/** Judges everything before the call, then takes the call. A call of a paused device changes nothing that is due. */
export function receiveCall(
  before: HeartbeatState,
  settings: HeartbeatSettings,
  call: HeartbeatCall,
  outages: readonly Span[],
): ReceivedCall {
  // A call that was received a moment before one that another controller stored first comes right after that.
  const atUs = call.atUs > before.atUs ? call.atUs : before.atUs + 1;
  const { state: judged, missed } = judgeHeartbeat(before, settings, atUs, outages);
  const lastCall = { kind: call.kind, atUs, exitStatus: call.exitStatus ?? null };
  const state = { ...judged, atUs, lastCall };
  const wasOpen = state.runs.find(({ runId }) => runId === call.runId);
  const runs = state.runs.filter((run) => run !== wasOpen);
  switch (call.kind) {
    case 'log':
      return { state: { ...state, lastCall: before.lastCall }, missed, end: null };
    case 'start':
      return {
        state: met({ ...state, runs: withRun(runs, started(wasOpen, call.runId, atUs)) }, settings),
        missed,
        end: null,
      };
    case 'success':
    case 'fail':
    case 'exit': {
      const isGood = call.kind === 'success' || (call.kind === 'exit' && call.exitStatus === 0);
      const ended = { ...state, runs };
      const isMet = wasOpen === undefined || settings.due.kind === 'every';
      const end = { atUs, isGood, startedUs: wasOpen?.lastUs ?? null };
      return { state: isMet ? met(ended, settings) : ended, missed, end };
    }
  }
}

/** The state after a call that counts for the next due time. */
function met(state: HeartbeatState, { due, isEnabled }: HeartbeatSettings): HeartbeatState {
  if (!isEnabled) return { ...state, dueUs: null, runs: [] };
  const { atUs, dueUs } = state;
  const isEarly = due.kind === 'cron' && dueUs !== null && dueUs > atUs && dueUs - atUs <= due.earlyUs(dueUs);
  return { ...state, dueUs: due.after(isEarly ? dueUs : atUs), sinceUs: atUs };
}

function started(run: OpenRun | undefined, runId: string, atUs: number): OpenRun {
  const isFresh = run === undefined || run.isOverdue;
  return { runId, firstUs: isFresh ? atUs : run.firstUs, lastUs: atUs, isOverdue: false };
}

/** Adds a run. Beyond the bound, overdue runs are forgotten first, then the oldest. */
function withRun(runs: readonly OpenRun[], run: OpenRun): readonly OpenRun[] {
  if (runs.length < maxOpenRuns) return [...runs, run];
  const forgotten = runs.find(({ isOverdue }) => isOverdue) ?? runs[0];
  return [...runs.filter((one) => one !== forgotten), run];
}
