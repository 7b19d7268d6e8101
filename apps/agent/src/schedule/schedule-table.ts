import { declareState } from '@vantage/kernel';
import type { Assignment, RunRequest } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import { applyRunRequest, asOneOff, runRequestStep } from './apply-run-request.ts';
import { bringForward } from './device-schedule.ts';
import type { DeviceRetrySequence } from './retry-sequence.ts';
import {
  createScheduleState,
  enqueue,
  moveAll,
  putAssignment,
  removeDevice,
  requestUrgent,
  type ScheduleState,
} from './schedule-state.ts';
import { createSeenSet } from './seen-set.ts';

/** The devices that this agent checks, by the controller's assignments and run requests. */
export interface ScheduleTable {
  /** Devices that are assigned, or that a run request checks now. */
  readonly size: number;
  /** Replaces all assignments. Returns the reasons why some of them are invalid. */
  replace(assignments: readonly Assignment[]): readonly string[];
  /** Adds, changes and removes assignments. Returns the reasons why some of them are invalid. */
  change(upserts: readonly Assignment[], removedDeviceNos: readonly number[]): readonly string[];
  /**
   * Applies a run request. A request that comes again after a reconnect is ignored. A request that comes before its
   * assignment waits for it, up to 15 s.
   */
  runRequest(runRequest: RunRequest): void;
  /**
   * Requests a check before all due checks, even if the limit of checks is reached. `onStart` is called when it starts.
   * False: the device is not assigned.
   */
  runNow(deviceNo: number, onStart?: () => void): boolean;
  /** Checks these devices within a minute, spread by their schedule offsets, unless they are due earlier. */
  runSoon(deviceNos: readonly number[]): void;
}

/** Run requests that are remembered so that a repeated one is ignored. */
const rememberedRequests = 1000;

/**
 * A run request waits this long for the assignment that it was made for. The assignment follows within a second or two;
 * with very many devices, within ten. The caller of the API waits for the Timeout of the device plus ten seconds.
 */
const early = { ms: 15_000, requests: 1000 } as const;

/** The table as the scheduler uses it. */
export interface ObservableScheduleTable extends ScheduleTable {
  readonly state: ScheduleState;
  /** Sets the only listener. It is called after each change from outside. */
  onChange(listener: () => void): void;
}

/** Creates an empty table. */
export function createScheduleTable(deps: {
  readonly time: Pick<AgentTime, 'nowUs'>;
  /** The retry sequence of a device at the end of an earlier run. */
  readonly retrySequenceOf: (deviceNo: number, nowUs: number) => DeviceRetrySequence;
  /** Time after RetryDelay that the agent waits for the controller's run request for a retry. */
  readonly requestGraceMs: number;
}): ObservableScheduleTable {
  const { time, requestGraceMs } = deps;
  const state = createScheduleState();
  const isNewRequest = createSeenSet(rememberedRequests);
  const waiting = trackedEarly<{ readonly request: RunRequest; readonly untilUs: number }[]>([]);
  let changed = () => {};

  const change: ScheduleTable['change'] = (upserts, removedDeviceNos) => {
    const nowUs = time.nowUs();
    for (const deviceNo of removedDeviceNos) removeDevice(state, deviceNo);
    const faults = upserts.flatMap(
      (assignment) =>
        putAssignment(state, assignment, nowUs, (deviceNo) => deps.retrySequenceOf(deviceNo, nowUs)) ?? [],
    );
    for (const { request, untilUs } of waiting.splice(0)) if (nowUs <= untilUs) accept(request, untilUs);
    changed();
    return faults;
  };
  const accept = (request: RunRequest, untilUs: number) => {
    const nowUs = time.nowUs();
    const known = state.schedules.get(request.deviceNo);
    const step = runRequestStep(known, request);
    if (step === 'wait' && waiting.length < early.requests) waiting.push({ request, untilUs });
    if (step === 'wait' || step === 'ignore' || !isNewRequest(request.runRequestId)) return;
    const { assignment } = request;
    const schedule = step === 'one-off' && assignment ? asOneOff(known, assignment, nowUs) : known;
    if (schedule === undefined) return;
    state.schedules.set(request.deviceNo, schedule);
    applyRunRequest(schedule, request, nowUs, requestGraceMs);
    enqueue(state, schedule);
  };

  return {
    state,
    get size() {
      return state.schedules.size;
    },
    onChange(listener) {
      changed = listener;
    },
    change,
    replace(assignments) {
      const assigned = new Set(assignments.map(({ deviceNo }) => deviceNo));
      const removed = [...state.schedules].flatMap(([deviceNo, { oneOff }]) =>
        oneOff || assigned.has(deviceNo) ? [] : [deviceNo],
      );
      return change(assignments, removed);
    },
    runRequest(runRequest) {
      accept(runRequest, time.nowUs() + early.ms * 1000);
      changed();
    },
    runNow(deviceNo, onStart = () => {}) {
      const schedule = state.schedules.get(deviceNo);
      if (schedule === undefined || schedule.gone) return false;
      requestUrgent(state, schedule, time.nowUs(), onStart);
      changed();
      return true;
    },
    runSoon(deviceNos) {
      const selected = new Set(deviceNos);
      const nowUs = time.nowUs();
      moveAll(state, (schedule) => {
        if (selected.has(schedule.assignment.deviceNo)) bringForward(schedule, nowUs);
      });
      changed();
    },
  };
}

const trackedEarly = declareState({
  name: 'early_run_requests',
  entries: early.requests,
  entryBytes: 500,
  filledBy: 'callers of the REST API',
  atBound: 'the next one is not run, and its caller gets the reason',
});
