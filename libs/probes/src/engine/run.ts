import { type Json, resultCode } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import type { CheckSpec } from '@vantage/proto';
import { z } from 'zod';
import type { Dial, Peer, Policy, Stopwatch } from '../contract/dial.ts';
import { showPeer, showPeers, showSeconds } from '../contract/failure.ts';
import type {
  Measurement,
  Outcome,
  ProbeContext,
  StepRequest,
  StepResult,
  Target,
} from '../contract/probe.ts';
import { createMask, type Mask, secretValues } from '../redact/mask.ts';
import { bad, createStopwatch, type Detail, measure, runUntilDeadline } from './measurement.ts';
import { probeFor, type ReadyCheck, readSpec } from './registry.ts';

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
  check: StepCheck,
): Promise<{ readonly measured: Measurement; readonly answer: NonNullable<Outcome['answer']> }> {
  const { probe, target, options, timeoutMs } = check;
  const { clock, signal } = deps;
  if (signal.aborted) return { measured: notRun('the agent ended before this check'), answer: () => ({}) };
  const running = openCheck(deps, check);
  const { context, stopwatch } = running;
  const { outcome, phases } = await runUntilDeadline({
    clock,
    stopwatch,
    timeoutMs,
    agent: signal,
    probe: () => probe.run(context, target, options),
    cut: (reason) => running.cut(reason),
    timedOut: () => timedOut(stopwatch, running.peerText(), target, timeoutMs),
  });
  const measured = measure({ outcome, phases, ...running.collected(), slowMs: slowMsOf(options) });
  running.close();
  return { measured, answer: outcome.answer ?? (() => ({})) };
}

/** A check, or a step of a script with the message that it sends. */
type StepCheck = ReadyCheck & Pick<StepRequest, 'message'>;

/** The context of a check that runs: what its probe says is collected, and what it opens is owned. */
function openCheck(deps: RunDeps, check: StepCheck) {
  const { probe, target, options, timeoutMs, secrets, message } = check;
  const { clock, dial, policy, random } = deps;
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
  return {
    context,
    stopwatch,
    cut: (reason: unknown) => cut.abort(reason),
    collected: () => ({ peers, facts, diagnostics, mask }),
    /** Whom the check talks to, for a sentence. */
    peerText() {
      if (peers.length > 0) return showPeers(peers);
      return target.host === '' ? 'the script' : showPeer(target.host, target.port);
    },
    /** Ends everything that the probe opened, the last one first. */
    close() {
      cut.abort('the check has ended');
      for (const resource of owned.reverse()) disposeQuietly(resource);
    },
  };
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

/**
 * Options written in any letter case (`expectStatus`, `ipFamily`, as scripts do) in the spelling of a probe's schema.
 * Unknown names stay as they are, so that the schema refuses them.
 */
export function spellOptions(schema: unknown, value: Json): Json {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && isList(value)) {
    return value.map((each) => spellOptions(inner.element, each));
  }
  if (!(inner instanceof z.ZodObject) || !isRecord(value)) return value;
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  const known = new Map(Object.keys(shape).map((key) => [key.toLowerCase(), key]));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const spelled = known.get(key.toLowerCase()) ?? key;
      return [spelled, spellOptions(shape[spelled], each)];
    }),
  );
}

function unwrapped(schema: unknown): unknown {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault ||
    inner instanceof z.ZodNullable
  ) {
    inner = inner.unwrap();
  }
  return inner;
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !isList(value);
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
