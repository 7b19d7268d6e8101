import { secondUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Assignment, CheckResult } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import {
  applyMeasurement,
  type ResultContext,
  resultOf,
  type StartedCheck,
  usableMeasurement,
} from './check.ts';
import type { Coverage } from './coverage.ts';
import {
  beginJob,
  type DeviceSchedule,
  type Job,
  moveClock,
  requestImmediateCheck,
  startOf,
} from './device-schedule.ts';
import {
  type LateChecks,
  type LatenessMeter,
  nextOwnDueUs,
  notInTime,
  type Stalls,
  toleratedLatenessMs,
} from './due-times.ts';
import type { RateLimiter } from './rate-limiter.ts';
import {
  endCheck,
  markBusy,
  moveAll,
  type NextStep,
  nextStep,
  nextUrgent,
  repeatCheck,
  type SkippedChecks,
  skipChecks,
  skipMissed,
} from './schedule-state.ts';
import type { ObservableScheduleTable } from './schedule-table.ts';

/**
 * Checks start for this long, milliseconds; then the event loop reads what came in, and sends. Without a limit, checks
 * that end and start in turn keep the event loop from everything else. Short, because on a fast network these checks
 * end before the next ones start, and so few are alive when V8 collects its young generation.
 */
const startForMs = 1;

/**
 * So many urgent checks may run beyond the limit of checks. The file descriptors that the agent keeps suffice for them.
 */
const urgentBeyondLimit = 6;

/** A clock that is set by less than this leaves the due times alone, microseconds. */
const smallStepUs = secondUs;

/** Starts every check when it is due, never two of one device at once, never more than the limit. */
export interface Scheduler {
  /** The corrected clock was set by this much, microseconds. */
  clockStepped(byUs: number): void;
  /** The host slept or this process stood still for so long. The checks that fell due in a long gap are skipped. */
  gapEnded(lengthMs: number): void;
  /** Oldest due time that waits to be started, corrected microseconds. */
  waitingUs(): number | undefined;
  /** Starts the schedule. Before, nothing is due. */
  start(): void;
  /** Starts nothing more; resolves when nothing runs. Checks that are cut short give no results. */
  stop(): Promise<void>;
}

interface SchedulerDeps {
  readonly table: ObservableScheduleTable;
  readonly time: AgentTime;
  readonly clock: Clock;
  /** Runs one check. */
  readonly check: (assignment: Assignment, signal: AbortSignal) => Promise<Measurement>;
  /** The measurement that may be written; a promise only where it must wait. */
  readonly confirm: (
    deviceNo: number,
    measurement: Measurement,
    begunMs: number,
  ) => Measurement | Promise<Measurement>;
  readonly onResult: (result: CheckResult, context: ResultContext) => void;
  /** An unexpected error: the check counts as if it had not been made. */
  readonly onError: (error: unknown) => void;
  readonly concurrency: number;
  readonly rateLimiter: RateLimiter;
  readonly coverage: Coverage;
  readonly lateChecks: LateChecks;
  readonly meter: LatenessMeter;
  readonly stalls: Stalls;
  /** How long past RetryDelay the agent waits for the controller's run request for a retry. */
  readonly requestGraceMs: number;
  readonly newId: () => string;
}

/** Creates the scheduler: it starts the checks that are due in `table` and applies their results to it. */
export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { table, time, clock, coverage, stalls } = deps;
  const { state } = table;
  const ending = new AbortController();
  let started = false;
  let running = 0;
  let onIdle: (() => void) | undefined;
  let soon: NodeJS.Immediate | undefined;
  const alarm = createAlarm({ clock, ring: () => pump() });
  const skipGap = () => reportSkipped(deps, skipMissed(state, time.nowUs()));
  /** Starts what is due and allowed, and waits for the next. */
  const pump = () => {
    if (!started || ending.signal.aborted) return;
    if (stalls.tick() > toleratedLatenessMs) skipGap();
    const untilMs = clock.monoMs() + startForMs;
    for (;;) {
      if (clock.monoMs() > untilMs) return pumpSoon();
      const next = nextAllowed(deps, running);
      if (next.kind === 'none') return;
      if (next.kind === 'wait') return alarm.after(next.waitUs / 1000);
      const allowed = deps.rateLimiter.tryAcquire();
      if (!allowed.ok) return alarm.after(allowed.waitMs);
      run(next.schedule, next.job).catch((error: unknown) => {
        deps.onError(error);
        finish(next.schedule);
      });
    }
  };
  /** Starts what is due in the next iteration of the event loop, once for all checks that end in this one. */
  const pumpSoon = () => {
    soon ??= setImmediate(() => {
      soon = undefined;
      pump();
    });
  };
  const finish = (schedule: DeviceSchedule) => {
    deps.meter.skipped(endCheck(state, schedule, time.nowUs()));
    pumpSoon();
  };
  const run = async (schedule: DeviceSchedule, job: Job) => {
    const check = startCheck(deps, schedule, job);
    const startMs = clock.monoMs();
    running += 1;
    const measured = await deps.check(check.assignment, ending.signal).finally(() => {
      running -= 1;
    });
    pumpSoon();
    if (ending.signal.aborted) return idle();
    const usable = usableMeasurement(schedule, measured, stalls.since(startMs));
    if (usable === undefined) discard(check);
    else {
      const endUs = check.startUs + Math.round((clock.monoMs() - startMs) * 1000);
      const confirmed = deps.confirm(check.assignment.deviceNo, usable, startMs);
      conclude(check, confirmed instanceof Promise ? await confirmed : confirmed, endUs);
    }
    if (!ending.signal.aborted) finish(schedule);
  };
  const conclude = (check: StartedCheck, confirmed: Measurement, endUs: number) => {
    if (ending.signal.aborted) return;
    const at = { endUs, nowUs: time.nowUs(), requestGraceMs: deps.requestGraceMs, newId: deps.newId };
    const { result, context } = applyMeasurement(check, confirmed, at);
    deps.onResult(result, context);
  };
  const discard = ({ schedule, job }: StartedCheck) => {
    const nowUs = time.nowUs();
    const skipped = skipChecks(schedule, nowUs);
    // The whole process stood still, so the time is not covered for any device.
    if (skipped !== undefined) reportSkipped(deps, [skipped]);
    repeatCheck(schedule, job, nowUs);
  };
  const idle = () => {
    if (running === 0) onIdle?.();
  };
  table.onChange(pump);

  return {
    clockStepped(byUs) {
      if (Math.abs(byUs) < smallStepUs) return;
      const nowUs = time.nowUs();
      coverage.stepped(nowUs - byUs, nowUs);
      moveAll(state, (schedule) => {
        moveClock(schedule, byUs, nowUs);
        requestImmediateCheck(schedule, nowUs);
      });
      pump();
    },
    gapEnded(lengthMs) {
      if (lengthMs > toleratedLatenessMs) skipGap();
      pump();
    },
    waitingUs() {
      const nowUs = time.nowUs();
      const first = state.dueQueue.first();
      return first !== undefined && first.atUs <= nowUs ? first.atUs : undefined;
    },
    start() {
      if (started) return;
      started = true;
      const nowUs = time.nowUs();
      coverage.begin(nowUs);
      moveAll(state, (schedule) => {
        if (!schedule.oneOff) schedule.dueUs = nextOwnDueUs(schedule.assignment, nowUs);
      });
      pump();
    },
    async stop() {
      alarm[Symbol.dispose]();
      clearImmediate(soon);
      ending.abort(new Error('the agent ends'));
      if (running === 0) return;
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    },
  };
}

/** The next step while so many checks run; `none` also where the limit of checks is reached. */
function nextAllowed({ table, time, concurrency }: SchedulerDeps, running: number): NextStep {
  const urgent = nextUrgent(table.state, time.nowUs());
  const limit = concurrency + (urgent === undefined ? 0 : urgentBeyondLimit);
  return running >= limit ? { kind: 'none' } : (urgent ?? nextStep(table.state, time.nowUs()));
}

/** Begins a job: marks the device busy and counts how late it starts. */
function startCheck(deps: SchedulerDeps, schedule: DeviceSchedule, job: Job): StartedCheck {
  const { table, time, meter } = deps;
  const startUs = startOf(schedule, time.nowUs());
  const missedUs = Math.max(job.atUs, schedule.lastStartUs + 1, schedule.freeUs);
  markBusy(table.state, schedule, startUs);
  const { lateUs, passed } = beginJob(schedule, job, startUs);
  meter.started(Math.max(0, lateUs / 1000));
  meter.skipped(passed);
  const blockMs = Math.max(0, (startUs - job.atUs) / 1000);
  const check = { schedule, assignment: schedule.assignment, job, startUs, blockMs };
  // A late retry or a late run request leaves no time uncovered: the regular check before it was in time.
  if (job.kind === 'regular') countRegular(deps, check.assignment, { dueUs: missedUs, startUs });
  return check;
}

/**
 * Counts a regular check. Where it starts late, the time since it was due is not covered, for its device or for the
 * agent.
 */
function countRegular(
  { coverage, lateChecks, onResult }: SchedulerDeps,
  assignment: Assignment,
  { dueUs, startUs }: { readonly dueUs: number; readonly startUs: number },
): void {
  switch (lateChecks.started((startUs - dueUs) / 1000)) {
    case 'nothing':
      return;
    case 'agent':
      coverage.broken(dueUs, startUs);
      return;
    case 'device': {
      const measurement = notInTime(startUs - dueUs);
      const { deviceNo, deviceCreatedUs, revision } = assignment;
      const device = { deviceNo, deviceCreatedUs, revision };
      const identity = { ...device, startUs: dueUs, attempt: 0, retryId: '', runRequestId: '' };
      const context = { assignment, measurement, isFirstError: false };
      onResult(resultOf({ ...identity, blockMs: 0 }, measurement), context);
    }
  }
}

/** Counts checks that were left out; the time up to now is not covered. */
function reportSkipped({ meter, coverage, time }: SchedulerDeps, all: readonly SkippedChecks[]): void {
  for (const { count, fromUs } of all) {
    meter.skipped(count);
    coverage.broken(fromUs, time.nowUs());
  }
}

/** Calls the scheduler when it must read its queue again. */
interface Alarm extends Disposable {
  /** Asks for a call after this time, milliseconds, or up to 4 ms later. An earlier one that was asked for stays. */
  after(ms: number): void;
}

/** The queue is read at least this often, so that a due time that moved is noticed. */
const longestWaitMs = 1000;
/**
 * Calls come at most this often; the first after a pause is exact. A wake of the process costs more than a check's
 * start.
 */
const minIntervalMs = 4;

/** Creates the alarm; it rings not before it is asked to, and not after its disposal. */
export function createAlarm(deps: {
  readonly clock: Pick<Clock, 'monoMs' | 'timer'>;
  readonly ring: () => void;
}): Alarm {
  const { clock, ring } = deps;
  let timer: Disposable | undefined;
  let ringsAtMs = 0;
  let rangMs = Number.NEGATIVE_INFINITY;
  return {
    after(ms) {
      const nowMs = clock.monoMs();
      const waitMs = Math.min(longestWaitMs, Math.ceil(Math.max(1, ms, rangMs + minIntervalMs - nowMs)));
      const atMs = nowMs + waitMs;
      // Each check asks for this several times. A timer that wakes earlier reads the queue again, so it stays.
      if (timer !== undefined && ringsAtMs <= atMs) return;
      timer?.[Symbol.dispose]();
      ringsAtMs = atMs;
      timer = clock.timer(waitMs, () => {
        timer = undefined;
        rangMs = clock.monoMs();
        ring();
      });
    },
    [Symbol.dispose]: () => timer?.[Symbol.dispose](),
  };
}
