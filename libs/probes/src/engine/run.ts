import { type ResultCode, resultCode } from '@vantage/domain';
import { type Clock, messageOf, onAbort, type Secret } from '@vantage/kernel';
import type { CheckSpec } from '@vantage/proto';
import { Failure, outcomeOf, showPeer, showPeers, showSeconds } from '../contract/failure.ts';
import { type Detail, measure } from '../contract/measurement.ts';
import type {
  AnyProbe,
  Measurement,
  Outcome,
  Peer,
  Phases,
  Policy,
  ProbeContext,
  StepRequest,
  StepResult,
  Stopwatch,
  Target,
} from '../contract/probe.ts';
import type { Dial } from '../net/dial.ts';
import { createMask, type Mask } from '../redact/mask.ts';
import { secretValues } from '../redact/secret-options.ts';
import { spellOptions } from './option-spelling.ts';
import { probeFor, readSpec } from './registry.ts';
import { createStopwatch } from './stopwatch.ts';

/** Dependencies that all checks of an agent share. */
export interface RunDeps {
  readonly clock: Clock;
  readonly policy: Policy;
  /** The agent's dial, one for all its checks. */
  readonly dial: Dial;
  /** Aborts when the agent ends; a measurement made under an aborted signal is to be thrown away, not sent. */
  readonly signal: AbortSignal;
  readonly random: () => number;
}

/** A check whose settings are read already. */
export interface ReadyCheck {
  readonly probe: AnyProbe;
  readonly target: Target;
  /** As `probe.options` parsed them. */
  readonly options: unknown;
  readonly timeoutMs: number;
  /** The values behind a script's `secret("NAME")`. */
  readonly secrets?: ReadonlyMap<string, Secret>;
}

/** How long a probe may take to come back after its deadline before it is left alone, milliseconds. */
const graceMs = 400;

/**
 * A deadline that comes this much late means that the agent stood still (stopped, swapped out), not the device;
 * milliseconds.
 */
const stallMs = 1000;

/**
 * Runs one check: deadline, phases, classification, masking, disposal of all it opened. Never throws, never takes
 * longer than the timeout and 0.4 s. An unexpected error is code 10 (`probe failed: …`), so that a bug of the agent
 * never sets a device Down.
 */
export async function runProbe(run: RunDeps & { readonly spec: CheckSpec }): Promise<Measurement> {
  const ready = readSpec(run.spec);
  if (ready.ok) return runCheck(run, ready.check);
  return notRun(createMask(Object.values(run.spec.secrets)).text(ready.message));
}

/** A check that never began. */
function notRun(text: string): Measurement {
  const phases = createStopwatch(() => 0).read();
  return { code: resultCode.agent, text, phases, dataSize: 0, slow: false, peers: [], extended: {} };
}

/** Like `runProbe`, for a check read already (the contract suite, trying a script by hand). */
export async function runCheck(deps: RunDeps, check: ReadyCheck): Promise<Measurement> {
  return (await execute(deps, check)).measured;
}

/** Runs a check. The answer is unmasked, because it goes to the script that called. */
async function execute(
  deps: RunDeps,
  check: ReadyCheck & Pick<StepRequest, 'message'>,
): Promise<{ readonly measured: Measurement; readonly answer: NonNullable<Outcome['answer']> }> {
  const { probe, target, options, timeoutMs, secrets, message } = check;
  const { clock, dial, policy, random } = deps;
  if (deps.signal.aborted)
    return { measured: notRun('the agent ended before this check'), answer: () => ({}) };
  const stopwatch = createStopwatch(() => clock.monoMs());
  const mask = createMask([
    ...secretValues(probe, target, options),
    ...[...(secrets?.values() ?? [])].map((each) => each.reveal()),
  ]);
  let peers: readonly Peer[] = [];
  const facts = new Map<string, Detail>();
  const diagnostics = new Map<string, Detail>();
  const owned: Disposable[] = [];
  const cut = new AbortController();
  const context: ProbeContext = {
    clock,
    signal: cut.signal,
    timeoutMs,
    stopwatch,
    dial,
    policy,
    random,
    method: probe.method,
    addDetail: (key, value) => void facts.set(key, value),
    setPeers(list) {
      peers = list;
      facts.set('Address', showPeers(list));
    },
    diagnostics: (key, value) => void diagnostics.set(key, value),
    own: (resource) => (cut.signal.aborted ? disposeQuietly(resource) : void owned.push(resource)),
    redact: (secret) => mask.add(secret),
    runStep: (step) =>
      runStep({ ...deps, signal: cut.signal, ...(secrets && { secrets }) }, mask, timeoutMs, step),
    ...(secrets && { secrets }),
    ...(message !== undefined && { message }),
  };
  const peerText = () => {
    if (peers.length > 0) return showPeers(peers);
    return target.host === '' ? 'the script' : showPeer(target.host, target.port);
  };

  const { outcome, phases } = await new Promise<Ended>((resolve) => {
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
      cut.abort(reason);
    };
    const onStop = () => cutOff(bad(resultCode.agent, 'the agent ended during this check'));
    const startedMs = clock.monoMs();
    const onDeadline = () => {
      const lateMs = clock.monoMs() - startedMs - timeoutMs;
      // A busy event loop counts a timer from the start of its iteration, which is before the start of this check.
      if (lateMs < -1) timer = clock.timer(-lateMs, onDeadline);
      else if (lateMs > stallMs) cutOff(bad(resultCode.agent, stalled(lateMs)));
      // After a pause timers go before sockets: let an answer that waits in one be read first.
      else if (lateMs > 20) setImmediate(() => cutOff(timedOut(stopwatch, peerText(), target, timeoutMs)));
      else cutOff(timedOut(stopwatch, peerText(), target, timeoutMs));
    };
    let timer = clock.timer(timeoutMs, onDeadline);
    const stopping = onAbort(deps.signal, onStop);
    start(() => probe.run(context, target, options)).then(
      (outcome) => {
        const tooLate = outcome.code === resultCode.ok ? verdict : undefined;
        finish(tooLate ?? { outcome, phases: stopwatch.read() });
      },
      (error: unknown) => finish(endOfThrown(error, verdict, stopwatch)),
    );
  });
  const measured = measure({ outcome, phases, peers, facts, diagnostics, mask, slowMs: slowMsOf(options) });
  cut.abort('the check has ended');
  for (const resource of owned.reverse()) disposeQuietly(resource);
  return { measured, answer: outcome.answer ?? (() => ({})) };
}

/** A step of a script: any method but Script itself; its secrets are the script's too. */
async function runStep(
  { secrets, ...deps }: RunDeps & Pick<ReadyCheck, 'secrets'>,
  mask: Mask,
  limitMs: number,
  step: StepRequest,
): Promise<StepResult> {
  const probe = step.method === 'Script' ? undefined : probeFor(step.method);
  if (!probe) return { ok: false, message: `${step.method} cannot be used within a script` };
  const found = probe.parseTarget(step.url);
  if (!found.ok) return { ok: false, message: `the address is not accepted: ${found.message}` };
  const options = probe.options.safeParse(spellOptions(probe.options, step.options));
  if (!options.success) {
    const faults = options.error.issues.map((each) => `${each.path.join('.') || 'options'}: ${each.message}`);
    return { ok: false, message: faults.join('; ') };
  }
  for (const secret of secretValues(probe, found.target, options.data)) mask.add(secret);
  const { measured, answer } = await execute(deps, {
    probe,
    target: found.target,
    options: options.data,
    timeoutMs: Math.min(step.timeoutMs ?? limitMs, limitMs),
    ...(secrets && { secrets }),
    ...(step.message !== undefined && { message: step.message }),
  });
  return { ok: true, measurement: measured, answer: answer() };
}

interface Ended {
  readonly outcome: Outcome;
  readonly phases: Phases;
  /** The abort reason of the probe's signal, when this is the verdict of a cut. */
  readonly reason?: Failure;
}

/** Turns a probe that throws before its first await into one that rejects. */
async function start(run: () => Promise<Outcome>): Promise<Outcome> {
  return run();
}

function bad(code: ResultCode, text: string): Outcome {
  return { code, text, dataSize: 0, extended: {} };
}

function stalled(lateMs: number): string {
  return `this agent stood still for ${showSeconds(lateMs)} during the check: its machine was suspended or overloaded`;
}

/** The verdict at the deadline, by the phase that was running then. */
function timedOut(stopwatch: Stopwatch, peerText: string, target: Target, timeoutMs: number): Outcome {
  const within = `within ${showSeconds(timeoutMs)}`;
  if (target.host === '') return bad(resultCode.timeout, `${peerText} did not end ${within}`);
  switch (stopwatch.running()) {
    case 'dns':
      return bad(resultCode.agent, `none of this agent's resolvers answered about ${target.host} ${within}`);
    case 'ssl':
      return bad(resultCode.timeout, `no answer from ${peerText} to the TLS handshake ${within}`);
    case 'ttfb':
      return bad(
        resultCode.timeout,
        `no answer from ${peerText} ${within}${stopwatch.read().connect > 0 ? ', though it is connected' : ''}`,
      );
    case 'ttlb':
      return bad(resultCode.timeout, `the answer from ${peerText} was not complete ${within}`);
    case 'connect':
    case undefined:
      return bad(resultCode.timeout, `no answer from ${peerText} ${within}`);
  }
}

/** The probe's own Failure is kept, also after the cut, because `expected X, got Y` is more specific than a timeout. */
function endOfThrown(error: unknown, verdict: Ended | undefined, stopwatch: Stopwatch): Ended {
  const phases = stopwatch.read();
  if (verdict && (error === verdict.reason || !(error instanceof Failure))) return verdict;
  if (error instanceof Failure) return { outcome: outcomeOf(error), phases };
  return { outcome: bad(resultCode.agent, `probe failed: ${messageOf(error)}`), phases };
}

function slowMsOf(options: unknown): number | undefined {
  if (typeof options !== 'object' || options === null || !('SlowMs' in options)) return undefined;
  return typeof options.SlowMs === 'number' ? options.SlowMs : undefined;
}

function disposeQuietly(resource: Disposable): void {
  try {
    resource[Symbol.dispose]();
  } catch {
    // The check has its verdict already, so an error of a closed resource does not matter.
  }
}
