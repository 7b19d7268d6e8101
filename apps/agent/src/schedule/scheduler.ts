import { equals } from '@bufbuild/protobuf';
import { isGood } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import { type Assignment, AssignmentSchema, type CheckResult } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import type { Scheduler } from './contract.ts';
import type { Coverage } from './coverage.ts';
import {
  applyRunRequest,
  beginJob,
  bringForward,
  createDeviceSchedule,
  createOneOff,
  type DeviceSchedule,
  isOneOffDone,
  type Job,
  moveClock,
  nextJob,
  reassign,
  requestCheck,
  requestImmediateCheck,
  retryRulesOf,
  setRetrySequence,
  skipOverdue,
  startOf,
} from './device-schedule.ts';
import { createDueQueue } from './due-queue.ts';
import { lastDueUs, nextDueUs, rotationFault } from './due-times.ts';
import type { LatenessMeter } from './lateness.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { type ResultContext, resultOf } from './record.ts';
import { afterAnswer, isFirstError, type RetrySequence } from './retry-sequence.ts';
import { createSeenSet } from './seen-set.ts';
import { asStalled, type Stalls } from './stalls.ts';

/** Later than this is not covered; a stall longer than this skips what fell due in it. Milliseconds. */
const toleratedMs = 5000;
/** So many checks of a device in a row may be thrown away because the process stood still meanwhile. */
const maxDiscarded = 3;
/** A clock put right by less than this leaves the due times alone, microseconds. */
const smallStepUs = 1_000_000;

/** Makes the scheduler. `check` looks once; `confirm` says what may be written of it. */
export function createScheduler(deps: {
  readonly time: AgentTime;
  readonly clock: Clock;
  readonly check: (assignment: Assignment, signal: AbortSignal) => Promise<Measurement>;
  readonly confirm: (deviceNo: number, measurement: Measurement) => Promise<Measurement>;
  readonly onResult: (result: CheckResult, context: ResultContext) => void;
  /** The retry sequence that an earlier run left a device with. */
  readonly retrySequenceOf: (deviceNo: number, nowUs: number) => RetrySequence;
  /** A surprise: the check is as if it had not been made. */
  readonly onError: (error: unknown) => void;
  readonly concurrency: number;
  readonly rateLimiter: RateLimiter;
  readonly coverage: Coverage;
  readonly meter: LatenessMeter;
  readonly stalls: Stalls;
  /** How long past RetryDelay the controller's run request for a retry is waited for. */
  readonly requestGraceMs: number;
  readonly newId: () => string;
}): Scheduler {
  const { time, clock, coverage, meter, stalls } = deps;
  const schedules = new Map<number, DeviceSchedule>();
  const dueQueue = createDueQueue<DeviceSchedule>();
  const ending = new AbortController();
  /** Run requests come again after a reconnect; each is obeyed once. */
  const isNewRequest = createSeenSet(1000);
  let started = false;
  let running = 0;
  let timer: Disposable | undefined;
  let onIdle: (() => void) | undefined;

  const queue = (schedule: DeviceSchedule) => {
    if (!schedule.busy && !schedule.gone) dueQueue.set(schedule, nextJob(schedule).atUs);
  };
  const wakeIn = (ms: number) => {
    timer?.[Symbol.dispose]();
    timer = clock.timer(Math.min(1000, Math.max(1, Math.ceil(ms))), pump);
  };
  const pump = () => {
    if (!started || ending.signal.aborted) return;
    if (stalls.tick() > toleratedMs) skipMissed();
    while (running < deps.concurrency) {
      const first = dueQueue.first();
      if (first === undefined) return;
      const waitUs = first.atUs - time.nowUs();
      if (waitUs > 0) return wakeIn(waitUs / 1000);
      const allowed = deps.rateLimiter.tryAcquire();
      if (!allowed.ok) return wakeIn(allowed.waitMs);
      dueQueue.delete(first.key);
      const schedule = first.key;
      run(schedule, nextJob(schedule)).catch((error: unknown) => {
        deps.onError(error);
        finish(schedule);
      });
    }
  };
  const skip = (schedule: DeviceSchedule, nowUs: number) => {
    const gap = skipOverdue(schedule, nowUs);
    if (gap === undefined) return;
    meter.skipped(gap.skipped);
    coverage.broken(gap.fromUs, nowUs);
  };
  const skipMissed = () => {
    const nowUs = time.nowUs();
    for (const schedule of schedules.values()) {
      if (schedule.busy || schedule.retrySequence.state.kind === 'open') continue;
      skip(schedule, nowUs);
      queue(schedule);
    }
  };

  const run = async (schedule: DeviceSchedule, job: Job) => {
    const { assignment } = schedule;
    const startUs = startOf(schedule, time.nowUs());
    const startMs = clock.monoMs();
    const blockMs = Math.max(0, (startUs - job.atUs) / 1000);
    schedule.busy = true;
    schedule.lastStartUs = startUs;
    running += 1;
    begin(schedule, job, startUs);
    const seen = await deps.check(assignment, ending.signal).finally(() => {
      running -= 1;
    });
    pump();
    if (ending.signal.aborted) return idle();
    const stalled = stalls.since(startMs);
    if (stalled && schedule.discarded < maxDiscarded) return discard(schedule, job);
    schedule.discarded = 0;
    const measured = stalled && !isGood(seen.code) ? asStalled(seen) : seen;
    const endUs = startUs + Math.round((clock.monoMs() - startMs) * 1000);
    const confirmed = await deps.confirm(assignment.deviceNo, measured);
    if (ending.signal.aborted) return;
    const attempt = job.kind === 'retry' ? job.attempt : 0;
    const answer = {
      code: confirmed.code,
      attempt,
      retryId: job.kind === 'retry' ? job.retryId : '',
      endUs,
    };
    const after = afterAnswer(
      schedule.retrySequence,
      answer,
      retryRulesOf(assignment, deps.requestGraceMs),
      deps.newId,
    );
    const { deviceNo, revision } = assignment;
    const runRequestId = job.kind === 'regular' ? '' : job.runRequestId;
    const facts = { deviceNo, startUs, revision, blockMs, attempt, retryId: after.retryId, runRequestId };
    const begins = isFirstError(schedule.retrySequence, after.sequence);
    deps.onResult(resultOf(facts, confirmed), { assignment, measurement: confirmed, isFirstError: begins });
    if (schedule.oneOff) schedule.gone = isOneOffDone(schedule, job);
    else if (schedule.assignment.revision === revision)
      setRetrySequence(schedule, after.sequence, time.nowUs());
    schedule.checkedRevision = revision;
    finish(schedule);
  };
  const begin = (schedule: DeviceSchedule, job: Job, startUs: number) => {
    const { lateUs, passed } = beginJob(schedule, job, startUs);
    meter.started(Math.max(0, lateUs / 1000));
    meter.skipped(passed);
    if (lateUs > toleratedMs * 1000) coverage.broken(job.atUs, startUs);
  };
  /** The process stood still: what was seen meanwhile, good or bad, is not how the device is. */
  const discard = (schedule: DeviceSchedule, job: Job) => {
    schedule.discarded += 1;
    skip(schedule, time.nowUs());
    if (job.kind !== 'retry') {
      const runRequestId = job.kind === 'requested' ? job.runRequestId : '';
      requestCheck(schedule, runRequestId, time.nowUs());
    }
    finish(schedule);
  };
  /** The device is free again: turns that passed while its own check ran leave one to do now. */
  const finish = (schedule: DeviceSchedule) => {
    const nowUs = time.nowUs();
    schedule.busy = false;
    schedule.freeUs = nowUs;
    if (schedule.gone) schedules.delete(schedule.assignment.deviceNo);
    if (schedule.dueUs <= nowUs) schedule.dueUs = lastDueUs(schedule.assignment, nowUs);
    queue(schedule);
    pump();
  };
  const idle = () => {
    if (running === 0) onIdle?.();
  };

  const put = (assignment: Assignment): string | undefined => {
    const fault = assignment.spec === undefined ? 'no check in it' : rotationFault(assignment);
    if (fault !== undefined) return `device ${assignment.deviceNo}: ${fault}`;
    const nowUs = time.nowUs();
    const old = schedules.get(assignment.deviceNo);
    const isSame = old !== undefined && equals(AssignmentSchema, old.assignment, assignment);
    if (isSame && !old.gone) return undefined;
    const schedule =
      old ?? createDeviceSchedule(assignment, nowUs, deps.retrySequenceOf(assignment.deviceNo, nowUs));
    schedules.set(assignment.deviceNo, schedule);
    if (old !== undefined) reassign(old, assignment, nowUs);
    requestImmediateCheck(schedule, nowUs);
    queue(schedule);
    return undefined;
  };
  const remove = (deviceNo: number) => {
    const schedule = schedules.get(deviceNo);
    if (schedule === undefined) return;
    schedule.gone = true;
    dueQueue.delete(schedule);
    if (!schedule.busy) schedules.delete(deviceNo);
  };
  const change: Scheduler['change'] = (upserts, removedDeviceNos) => {
    for (const deviceNo of removedDeviceNos) remove(deviceNo);
    const faults = upserts.map(put).filter((fault) => fault !== undefined);
    pump();
    return faults;
  };
  const moveAll = (move: (schedule: DeviceSchedule, nowUs: number) => void) => {
    const nowUs = time.nowUs();
    for (const schedule of schedules.values()) {
      move(schedule, nowUs);
      queue(schedule);
    }
    pump();
  };

  return {
    replace(assignments) {
      const wanted = new Set(assignments.map(({ deviceNo }) => deviceNo));
      return change(
        assignments,
        [...schedules].flatMap(([deviceNo, { oneOff }]) =>
          oneOff || wanted.has(deviceNo) ? [] : [deviceNo],
        ),
      );
    },
    change,
    runRequest(runRequest) {
      const nowUs = time.nowUs();
      const schedule = schedules.get(runRequest.deviceNo) ?? createOneOff(runRequest.assignment, nowUs);
      if (schedule === undefined || schedule.gone || !isNewRequest(runRequest.runRequestId)) return;
      schedules.set(runRequest.deviceNo, schedule);
      applyRunRequest(schedule, runRequest, nowUs, deps.requestGraceMs);
      queue(schedule);
      pump();
    },
    runNow(deviceNo) {
      const schedule = schedules.get(deviceNo);
      if (schedule === undefined || schedule.gone) return false;
      requestCheck(schedule, '', time.nowUs());
      queue(schedule);
      pump();
      return true;
    },
    runSoon(deviceNos) {
      const wanted = new Set(deviceNos);
      moveAll((schedule, nowUs) => {
        if (wanted.has(schedule.assignment.deviceNo)) bringForward(schedule, nowUs);
      });
    },
    clockStepped(byUs) {
      if (Math.abs(byUs) < smallStepUs) return;
      coverage.stepped(time.nowUs() - byUs, time.nowUs());
      moveAll((schedule, nowUs) => {
        moveClock(schedule, byUs, nowUs);
        requestImmediateCheck(schedule, nowUs);
      });
    },
    gapEnded(lengthMs) {
      if (lengthMs > toleratedMs) skipMissed();
      pump();
    },
    waitingUs() {
      const first = dueQueue.first();
      return first !== undefined && first.atUs <= time.nowUs() ? first.atUs : undefined;
    },
    start() {
      if (started) return;
      started = true;
      coverage.begin(time.nowUs());
      moveAll((schedule, nowUs) => {
        if (!schedule.oneOff) schedule.dueUs = nextDueUs(schedule.assignment, nowUs);
      });
    },
    async stop() {
      timer?.[Symbol.dispose]();
      ending.abort(new Error('the agent ends'));
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
    get running() {
      return running;
    },
  };
}
