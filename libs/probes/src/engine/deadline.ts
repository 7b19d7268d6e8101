import { type ResultCode, resultCode } from '@vantage/domain';
import { type Clock, messageOf, onAbort } from '@vantage/kernel';
import type { Phases, Stopwatch } from '../contract/dial.ts';
import { Failure, outcomeOf, showSeconds } from '../contract/failure.ts';
import type { Outcome } from '../contract/probe.ts';

/** How long a probe may take to come back after its deadline before it is left alone, milliseconds. */
const graceMs = 400;

/**
 * A deadline that comes this much late means that the agent stood still (stopped, swapped out), not the device;
 * milliseconds.
 */
const stallMs = 1000;
/** A deadline that comes this much late lets an answer that waits in a socket be read first, milliseconds. */
const pauseMs = 20;

/** A probe that runs until it ends or is cut off. */
export interface TimedRun {
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly timeoutMs: number;
  /** Aborts when the agent ends. */
  readonly agent: AbortSignal;
  readonly probe: () => Promise<Outcome>;
  /** Tells the probe that it is over. */
  readonly cut: (reason: Failure) => void;
  /** The outcome of a probe that is still running at the deadline. */
  readonly timedOut: () => Outcome;
}

/** The end of a probe. */
export interface Ended {
  readonly outcome: Outcome;
  readonly phases: Phases;
  /** The abort reason of the probe's signal, when this is the verdict of a cut. */
  readonly reason?: Failure;
}

/**
 * Runs a probe to its end, and cuts it off at its deadline or when the agent ends. Never rejects, and never takes
 * longer than the timeout and 0.4 s.
 */
export function runUntilDeadline(run: TimedRun): Promise<Ended> {
  const { clock, stopwatch, timeoutMs } = run;
  return new Promise((resolve) => {
    let verdict: Ended | undefined;
    let grace: Disposable | undefined;
    let finished = false;
    const finish = (ended: Ended) => {
      finished = true;
      timer[Symbol.dispose]();
      grace?.[Symbol.dispose]();
      stopping[Symbol.dispose]();
      resolve(ended);
    };
    const cutOff = (outcome: Outcome) => {
      if (verdict || finished) return;
      const reason = new Failure(resultCode.timeout, outcome.text);
      const ended = { outcome, phases: stopwatch.read(), reason };
      verdict = ended;
      grace = clock.timer(graceMs, () => finish(ended));
      run.cut(reason);
    };
    const startedMs = clock.monoMs();
    const onDeadline = () => {
      const lateMs = clock.monoMs() - startedMs - timeoutMs;
      // A busy event loop counts a timer from the start of its iteration, which is before the start of this check.
      if (lateMs < -1) timer = clock.timer(-lateMs, onDeadline);
      else if (lateMs > stallMs) cutOff(bad(resultCode.agent, stalled(lateMs)));
      // After a pause timers go before sockets.
      else if (lateMs > pauseMs) setImmediate(() => cutOff(run.timedOut()));
      else cutOff(run.timedOut());
    };
    let timer = clock.timer(timeoutMs, onDeadline);
    const stopping = onAbort(run.agent, () =>
      cutOff(bad(resultCode.agent, 'the agent ended during this check')),
    );
    start(run.probe).then(
      (outcome) => {
        const tooLate = outcome.code === resultCode.ok ? verdict : undefined;
        finish(tooLate ?? { outcome, phases: stopwatch.read() });
      },
      (error: unknown) => finish(endOfThrown(error, verdict, stopwatch)),
    );
  });
}

/** Turns a probe that throws before its first await into one that rejects. */
async function start(run: () => Promise<Outcome>): Promise<Outcome> {
  return run();
}

/** An outcome that says nothing but a code and a text. */
export function bad(code: ResultCode, text: string): Outcome {
  return { code, text, dataSize: 0, extended: {} };
}

function stalled(lateMs: number): string {
  return `this agent stood still for ${showSeconds(lateMs)} during the check: its machine was suspended or overloaded`;
}

/** The probe's own Failure is kept, also after the cut, because `expected X, got Y` is more specific than a timeout. */
function endOfThrown(error: unknown, verdict: Ended | undefined, stopwatch: Stopwatch): Ended {
  const phases = stopwatch.read();
  if (verdict && (error === verdict.reason || !(error instanceof Failure))) return verdict;
  if (error instanceof Failure) return { outcome: outcomeOf(error), phases };
  return { outcome: bad(resultCode.agent, `probe failed: ${messageOf(error)}`), phases };
}
