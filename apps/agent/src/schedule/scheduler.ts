import { secondUs } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { Measurement } from '@vantage/probes';
import type { Assignment, CheckResult } from '@vantage/proto';
import type { AgentTime } from '../clock/agent-time.ts';
import { createAlarm } from './alarm.ts';
import type { CheckJob } from './check-job.ts';
import {
  applyMeasurement,
  type ResultContext,
  type StartedCheck,
  usableMeasurement,
} from './check-outcome.ts';
import type { CheckRateLimiter } from './check-rate-limiter.ts';
import type { Coverage } from './coverage.ts';
import { type DeviceSchedule, moveClock, requestImmediateCheck } from './device-schedule.ts';
import { type LateChecks, toleratedLatenessMs } from './late-checks.ts';
import type { LatenessMeter } from './lateness-meter.ts';
import { nextOwnDueUs } from './own-due-times.ts';
import { endCheck, moveAll, type NextStep, nextStep, nextUrgent, repeatCheck } from './schedule-state.ts';
import type { ObservableScheduleTable } from './schedule-table.ts';
import { type SkippedChecks, skipChecks, skipMissed } from './skipped-checks.ts';
import type { Stalls } from './stalls.ts';
import { startCheck } from './start-check.ts';

/**
 * Checks start for this long, milliseconds; then the event loop reads and sends. Without a limit, checks that end and
 * start in turn would starve the event loop. The time is short because on a fast network these checks end before the
 * next ones start, so that few are alive when V8 collects its young generation.
 */
const startForMs = 1;

/** Urgent checks that may run beyond the limit of checks. The agent's reserve of file descriptors suffices for them. */
const urgentBeyondLimit = 6;

/** A smaller clock step leaves the due times alone, microseconds. */
const smallStepUs = secondUs;

/** Starts every check when it is due. It never runs two checks of a device at once, and never more than the limit. */
export interface Scheduler {
  /** The corrected clock was set by this much, microseconds. */
  clockStepped(byUs: number): void;
  /** The host slept, or this process stood still, for this long. The checks that fell due in a long gap are skipped. */
  gapEnded(lengthMs: number): void;
  /** The oldest due time whose check has not started, corrected microseconds. */
  waitingUs(): number | undefined;
  /** Starts the schedule. Nothing is due before. */
  start(): void;
  /** Starts no more checks; resolves when none runs. Checks that are cut short give no results. */
  stop(): Promise<void>;
}

interface SchedulerDeps {
  readonly table: ObservableScheduleTable;
  readonly time: AgentTime;
  readonly clock: Clock;
  /** Runs one check. */
  readonly check: (assignment: Assignment, signal: AbortSignal) => Promise<Measurement>;
  /** The measurement to write; a promise only if it must wait. */
  readonly confirm: (
    deviceNo: number,
    measurement: Measurement,
    begunMs: number,
  ) => Measurement | Promise<Measurement>;
  readonly onResult: (result: CheckResult, context: ResultContext) => void;
  /** An unexpected error. The check counts as not run. */
  readonly onError: (error: unknown) => void;
  readonly concurrency: number;
  readonly rateLimiter: CheckRateLimiter;
  readonly coverage: Coverage;
  readonly lateChecks: LateChecks;
  readonly meter: LatenessMeter;
  readonly stalls: Stalls;
  /** Time after RetryDelay that the agent waits for the controller's run request for a retry. */
  readonly requestGraceMs: number;
  readonly newId: () => string;
}

/** Creates the scheduler. It starts the due checks of `table` and applies their results to it. */
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
  /** Starts what is due and allowed, then waits for the next due time. */
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
  /** Starts what is due in the next iteration of the event loop: once for all checks that end in this one. */
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
  const run = async (schedule: DeviceSchedule, job: CheckJob) => {
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

/** The next step with this many running checks; `none` also at the limit of checks. */
function nextAllowed({ table, time, concurrency }: SchedulerDeps, running: number): NextStep {
  const urgent = nextUrgent(table.state, time.nowUs());
  const limit = concurrency + (urgent === undefined ? 0 : urgentBeyondLimit);
  return running >= limit ? { kind: 'none' } : (urgent ?? nextStep(table.state, time.nowUs()));
}

/** Counts skipped checks. The time up to now is not covered. */
function reportSkipped({ meter, coverage, time }: SchedulerDeps, all: readonly SkippedChecks[]): void {
  for (const { count, fromUs } of all) {
    meter.skipped(count);
    coverage.broken(fromUs, time.nowUs());
  }
}
