import { diagnosticsBytes, type Json, type ResultCode, resultCode } from '@vantage/domain';
import { type Clock, messageOf, onAbort } from '@vantage/kernel';
import type { Peer, Phase, Phases, Stopwatch } from '../contract/dial.ts';
import { Failure, outcomeOf, showSeconds } from '../contract/failure.ts';
import type { Extended, Measurement, Outcome } from '../contract/probe.ts';
import type { Mask } from '../redact/mask.ts';

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
  probe(): Promise<Outcome>;
  /** Tells the probe that it is over. */
  cut(reason: Failure): void;
  /** The outcome of a probe that is still running at the deadline. */
  timedOut(): Outcome;
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
  return new Promise((resolve) => new Deadline(run, resolve));
}

/** The deadline of one run; a class, as `RunningCheck` is. */
class Deadline {
  private readonly run: TimedRun;
  private readonly resolve: (ended: Ended) => void;
  private readonly startedMs: number;
  private readonly stopping: Disposable;
  private timer: Disposable;
  private grace: Disposable | undefined;
  private verdict: Ended | undefined;
  private finished = false;

  constructor(run: TimedRun, resolve: (ended: Ended) => void) {
    this.run = run;
    this.resolve = resolve;
    this.startedMs = run.clock.monoMs();
    this.timer = run.clock.timer(run.timeoutMs, () => this.passed());
    this.stopping = onAbort(run.agent, () =>
      this.cutOff(bad(resultCode.agent, 'the agent ended during this check')),
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
    else if (lateMs > stallMs) this.cutOff(bad(resultCode.agent, stalled(lateMs)));
    // After a pause timers go before sockets.
    else if (lateMs > pauseMs) setImmediate(() => this.cutOff(this.run.timedOut()));
    else this.cutOff(this.run.timedOut());
  }

  private cutOff(outcome: Outcome): void {
    if (this.verdict || this.finished) return;
    const reason = new Failure(resultCode.timeout, outcome.text);
    const ended = { outcome, phases: this.run.stopwatch.read(), reason };
    this.verdict = ended;
    this.grace = this.run.clock.timer(graceMs, () => this.finish(ended));
    this.run.cut(reason);
  }

  private ended(outcome: Outcome): void {
    const tooLate = outcome.code === resultCode.ok ? this.verdict : undefined;
    this.finish(tooLate ?? { outcome, phases: this.run.stopwatch.read() });
  }

  private finish(ended: Ended): void {
    this.finished = true;
    this.timer[Symbol.dispose]();
    this.grace?.[Symbol.dispose]();
    this.stopping[Symbol.dispose]();
    this.resolve(ended);
  }
}

/** Turns a probe that throws before its first await into one that rejects. */
function start(run: TimedRun): Promise<Outcome> {
  try {
    return run.probe();
  } catch (error) {
    return Promise.reject(error);
  }
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

/** A fact as a probe notes it: a value, or a function asked once when the check has ended. */
export type Detail = Json | (() => Json);

const longestText = 500;
const longestString = 8 * 1024;

/**
 * Puts a measurement together: facts, for failures the diagnostics, then what the outcome itself brings; secrets
 * masked; every text fit for a database column (no control characters, well-formed Unicode) and all of it at most 64
 * KiB, diagnostics being dropped first.
 */
export function measure(seen: {
  readonly outcome: Outcome;
  readonly phases: Phases;
  readonly peers: readonly Peer[];
  readonly facts: ReadonlyMap<string, Detail>;
  readonly diagnostics: ReadonlyMap<string, Detail>;
  readonly mask: Pick<Mask, 'text' | 'json'>;
  readonly slowMs: number | undefined;
}): Measurement {
  const { outcome, phases, peers, facts, diagnostics, mask, slowMs } = seen;
  const good = outcome.code === resultCode.ok;
  const entries = [...facts, ...Object.entries(outcome.extended), ...(good ? [] : diagnostics)];
  const totalMs = phases.dns + phases.connect + phases.ssl + phases.ttfb + phases.ttlb;
  const flat = mask
    .text(outcome.text)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  return {
    code: outcome.code,
    text: flat.length > longestText ? `${flat.slice(0, longestText)}…` : flat,
    phases,
    dataSize: outcome.dataSize,
    slow: good && slowMs !== undefined && totalMs > slowMs,
    peers,
    extended: bounded(entries, mask),
  };
}

function bounded(entries: readonly (readonly [string, Detail])[], mask: Pick<Mask, 'json'>): Extended {
  const kept: Record<string, Json> = {};
  let size = 0;
  for (const [key, detail] of entries) {
    const value = fit(mask.json(ask(detail)), 0);
    const length = JSON.stringify(value).length + key.length;
    if (size + length > diagnosticsBytes) {
      kept['Truncated'] = true;
      continue;
    }
    size += length;
    kept[key] = value;
  }
  return kept;
}

/** A fact that throws is left out. The check keeps its result. */
function ask(detail: Detail): Json {
  if (typeof detail !== 'function') return detail;
  try {
    return detail();
  } catch (error) {
    return `not available: ${messageOf(error)}`;
  }
}

function fit(value: Json, depth: number): Json {
  if (typeof value === 'string') {
    const cut = value.length > longestString ? `${value.slice(0, longestString)}…` : value;
    return cut.replaceAll('\0', '\\x00').toWellFormed();
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= 8) return '…';
  if (isList(value)) return value.slice(0, 300).map((each) => fit(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 300)
      .map(([key, each]) => [key.replaceAll('\0', '\\x00').toWellFormed(), fit(each, depth + 1)]),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Creates a stopwatch on a monotonic clock (milliseconds with fractions). No phase runs until one is entered. */
export function createStopwatch(clock: Pick<Clock, 'monoMs'>): Stopwatch {
  return new RunningStopwatch(clock);
}

/** A class, as `RunningCheck` is. */
class RunningStopwatch implements Stopwatch {
  private readonly clock: Pick<Clock, 'monoMs'>;
  private readonly sums: Record<Phase, number> = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  private phase: Phase | undefined;
  private sinceMs: number | undefined;

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.clock = clock;
  }

  enter(phase: Phase): void {
    this.settle(phase, this.clock.monoMs());
  }

  follow(phase: Phase): void {
    const nowMs = this.clock.monoMs();
    this.settle(phase, this.phase === undefined ? (this.sinceMs ?? nowMs) : nowMs);
  }

  pause(): void {
    this.settle(undefined, this.clock.monoMs());
  }

  conclude(phase: Phase, ms: number): void {
    if (this.phase === phase) this.phase = undefined;
    this.pause();
    this.sums[phase] = ms;
  }

  read(): Phases {
    const { sums, phase, sinceMs } = this;
    const open = phase === undefined || sinceMs === undefined ? 0 : this.clock.monoMs() - sinceMs;
    return {
      dns: toMicroseconds(sums.dns + (phase === 'dns' ? open : 0)),
      connect: toMicroseconds(sums.connect + (phase === 'connect' ? open : 0)),
      ssl: toMicroseconds(sums.ssl + (phase === 'ssl' ? open : 0)),
      ttfb: toMicroseconds(sums.ttfb + (phase === 'ttfb' ? open : 0)),
      ttlb: toMicroseconds(sums.ttlb + (phase === 'ttlb' ? open : 0)),
    };
  }

  running(): Phase | undefined {
    return this.phase;
  }

  private settle(next: Phase | undefined, nowMs: number): void {
    if (this.phase !== undefined) this.sums[this.phase] += nowMs - (this.sinceMs ?? nowMs);
    this.phase = next;
    this.sinceMs = nowMs;
  }
}

/** Milliseconds cut to whole microseconds: finer digits are noise. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
