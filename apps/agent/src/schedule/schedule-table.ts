import { declareState } from '@vantage/kernel';
import type { Assignment, RunRequest } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import { applyRunRequest, asOneOff, bringForward, runRequestStep } from './device-schedule.ts';
import type { RetrySequence } from './retry-sequence.ts';
import {
  createScheduleState,
  enqueue,
  moveAll,
  putAssignment,
  removeDevice,
  requestUrgent,
  type ScheduleState,
} from './schedule-state.ts';

/** The devices that this agent checks, by the controller's assignments and run requests. */
export interface ScheduleTable {
  /** Devices that are assigned, or checked by a run request now. */
  readonly size: number;
  /** Replaces all assignments. Returns why some of them were refused. */
  replace(assignments: readonly Assignment[]): readonly string[];
  /** Adds, changes and removes assignments. Returns why some of them were refused. */
  change(upserts: readonly Assignment[], removedDeviceNos: readonly number[]): readonly string[];
  /**
   * Applies a run request; one that comes again after a reconnect is ignored. One that comes before the assignment that
   * it was made for waits for it, for 15 s.
   */
  runRequest(runRequest: RunRequest): void;
  /**
   * Requests one check before all that are due, also where as many checks as allowed run. `onStart` is called when it
   * starts. False: the device is not assigned.
   */
  runNow(deviceNo: number, onStart?: () => void): boolean;
  /** Checks these devices within a minute, spread by their schedule offsets, where they are due later than that. */
  runSoon(deviceNos: readonly number[]): void;
}

/** As many run requests are remembered, so that one that comes again is ignored. */
const rememberedRequests = 1000;
/**
 * A run request waits so long for the assignment that it was made for. It follows within a second or two, of an agent
 * with very many devices within ten; the caller of the API waits for the device's Timeout and ten seconds.
 */
const early = { ms: 15_000, requests: 1000 } as const;

/** A table as the scheduler uses it. */
export interface ObservableScheduleTable extends ScheduleTable {
  readonly state: ScheduleState;
  /** Sets the one listener, which is called after each change that came from outside. */
  onChange(listener: () => void): void;
}

/** Creates an empty table. */
export function createScheduleTable(deps: {
  readonly time: Pick<AgentTime, 'nowUs'>;
  /** The retry sequence that an earlier run left a device with. */
  readonly retrySequenceOf: (deviceNo: number, nowUs: number) => RetrySequence;
  /** How long past RetryDelay the agent waits for the controller's run request for a retry. */
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
    for (const { request, untilUs } of waiting.splice(0)) if (nowUs <= untilUs) take(request, untilUs);
    changed();
    return faults;
  };
  const take = (request: RunRequest, untilUs: number) => {
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
      const wanted = new Set(assignments.map(({ deviceNo }) => deviceNo));
      const removed = [...state.schedules].flatMap(([deviceNo, { oneOff }]) =>
        oneOff || wanted.has(deviceNo) ? [] : [deviceNo],
      );
      return change(assignments, removed);
    },
    runRequest(runRequest) {
      take(runRequest, time.nowUs() + early.ms * 1000);
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
      const wanted = new Set(deviceNos);
      const nowUs = time.nowUs();
      moveAll(state, (schedule) => {
        if (wanted.has(schedule.assignment.deviceNo)) bringForward(schedule, nowUs);
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
  atBound: 'the next one is not run, and its caller reads so',
});

const tracked = declareState({
  name: 'seen_run_requests',
  entries: 1_000,
  entryBytes: 150,
  filledBy: 'callers of the REST API',
  atBound: 'the oldest is forgotten',
});

/** Creates a function that returns true for an id that is not among the last `most` new ids. */
export function createSeenSet(most: number): (id: string) => boolean {
  const seen = tracked(new Set<string>());
  return (id) => {
    if (seen.has(id)) return false;
    seen.add(id);
    const [oldest] = seen;
    if (seen.size > most && oldest !== undefined) seen.delete(oldest);
    return true;
  };
}
