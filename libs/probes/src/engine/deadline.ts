import { resultCode } from '@vantage/domain';
import { type Clock, messageOf, onAbort } from '@vantage/kernel';
import type { Phases, Stopwatch } from '../contract/dial.ts';
import { showSeconds } from '../contract/display.ts';
import { Failure, outcomeOf } from '../contract/failure.ts';
import type { ProbeOutcome } from '../contract/probe.ts';
import { bareOutcome } from './measurement.ts';

/** The time after its deadline in which a probe may still return; then it is abandoned. */
const graceMs = 400;

/** A deadline that fires this late means that the agent was stopped or swapped out; the device is not to blame. */
const stallMs = 1000;
/** If the deadline fires this late, an answer that waits in a socket is read first. */
const pauseMs = 20;

/** A probe that runs until it ends or is cut off. */
export interface TimedRun {
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly timeoutMs: number;
  /** Aborts when the agent stops. */
  readonly agent: AbortSignal;
  probe(): Promise<ProbeOutcome>;
  /** Aborts the probe. */
  cut(reason: Failure): void;
  /** The outcome of a probe that is still running at the deadline. */
  timedOut(): ProbeOutcome;
}

export interface EndedProbe {
  readonly outcome: ProbeOutcome;
  readonly phases: Phases;
  /** The abort reason of the probe's signal, if the probe was cut off. */
  readonly reason?: Failure;
}

/**
 * Runs a probe to its end, and cuts it off at its deadline or when the agent stops. Never rejects, and takes at most
 * the timeout and 0.4 s.
 */
export function runUntilDeadline(run: TimedRun): Promise<EndedProbe> {
  return new Promise((resolve) => new Deadline(run, resolve));
}

/** The deadline of one run; a class for the same reason as `RunningCheck`. */
class Deadline {
  private readonly run: TimedRun;
  private readonly resolve: (ended: EndedProbe) => void;
  private readonly startedMs: number;
  private readonly stopping: Disposable;
  private timer: Disposable;
  private grace: Disposable | undefined;
  private verdict: EndedProbe | undefined;
  private finished = false;

  constructor(run: TimedRun, resolve: (ended: EndedProbe) => void) {
    this.run = run;
    this.resolve = resolve;
    this.startedMs = run.clock.monoMs();
    this.timer = run.clock.timer(run.timeoutMs, () => this.passed());
    this.stopping = onAbort(run.agent, () =>
      this.cutOff(bareOutcome(resultCode.agent, 'the agent ended during this check')),
    );
    start(run).then(
      (outcome) => this.ended(outcome),
      (error: unknown) => this.finish(endOfThrown(error, this.verdict, run.stopwatch)),
    );
  }

  private passed(): void {
    const { clock, timeoutMs } = this.run;
    const lateMs = clock.monoMs() - this.startedMs - timeoutMs;
    // A busy event loop counts a timer from the start of its iteration, which is before the start of this check.
    if (lateMs < -1) this.timer = clock.timer(-lateMs, () => this.passed());
    else if (lateMs > stallMs) this.cutOff(bareOutcome(resultCode.agent, stalled(lateMs)));
    // After a pause, timers come before sockets.
    else if (lateMs > pauseMs) setImmediate(() => this.cutOff(this.run.timedOut()));
    else this.cutOff(this.run.timedOut());
  }

  private cutOff(outcome: ProbeOutcome): void {
    if (this.verdict || this.finished) return;
    const code = outcome.code === resultCode.ok ? resultCode.timeout : outcome.code;
    const reason = new Failure(code, outcome.text);
    const ended = { outcome, phases: this.run.stopwatch.read(), reason };
    this.verdict = ended;
    this.grace = this.run.clock.timer(graceMs, () => this.finish(ended));
    this.run.cut(reason);
  }

  private ended(outcome: ProbeOutcome): void {
    const tooLate = outcome.code === resultCode.ok ? this.verdict : undefined;
    this.finish(tooLate ?? { outcome, phases: this.run.stopwatch.read() });
  }

  private finish(ended: EndedProbe): void {
    this.finished = true;
    this.timer[Symbol.dispose]();
    this.grace?.[Symbol.dispose]();
    this.stopping[Symbol.dispose]();
    this.resolve(ended);
  }
}

/** Turns an exception before the probe's first await into a rejection. */
function start(run: TimedRun): Promise<ProbeOutcome> {
  try {
    return run.probe();
  } catch (error) {
    return Promise.reject(error);
  }
}

function stalled(lateMs: number): string {
  return `this agent stood still for ${showSeconds(lateMs)} during the check: its machine was suspended or overloaded`;
}

/** The probe's Failure counts even after the cut, because `expected X, got Y` is more specific than a timeout. */
function endOfThrown(error: unknown, verdict: EndedProbe | undefined, stopwatch: Stopwatch): EndedProbe {
  const phases = stopwatch.read();
  if (verdict && (error === verdict.reason || !(error instanceof Failure))) return verdict;
  if (error instanceof Failure) return { outcome: outcomeOf(error), phases };
  return { outcome: bareOutcome(resultCode.agent, `probe failed: ${messageOf(error)}`), phases };
}
