import { type Json, type Method, resultCode } from '@vantage/domain';
import { type Clock, Listeners } from '@vantage/kernel';
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
import { createMask, type Mask, noMask, secretValues } from '../redact/mask.ts';
import {
  bad,
  createStopwatch,
  type Detail,
  type Ended,
  measure,
  runUntilDeadline,
  type TimedRun,
} from './measurement.ts';
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

const agentEnded = 'the agent ended before this check';

/** A check that never began. */
function notRun(text: string): Measurement {
  const phases = createStopwatch({ monoMs: () => 0 }).read();
  return { code: resultCode.agent, text, phases, dataSize: 0, slow: false, peers: [], extended: {} };
}

/** Like `runProbe`, for a check read already (the contract suite, trying a script by hand). */
export async function runCheck(deps: RunDeps, check: ReadyCheck): Promise<Measurement> {
  if (deps.signal.aborted) return notRun(agentEnded);
  const running = new RunningCheck(deps, check);
  return running.measured(await runUntilDeadline(running));
}

/** A check, or a step of a script with the message that it sends. */
type StepCheck = ReadyCheck & Pick<StepRequest, 'message'>;

/**
 * A check that runs, and its probe's context: what the probe says is collected, and what it opens is owned. A class,
 * because functions made anew for each check would be most of its memory; the parts that few checks need are made when
 * they are first asked for.
 */
class RunningCheck implements ProbeContext, TimedRun {
  readonly clock: Clock;
  readonly timeoutMs: number;
  readonly stopwatch: Stopwatch;
  private readonly deps: RunDeps;
  private readonly check: StepCheck;
  private mask: Mask | undefined;
  private peers: readonly Peer[] = [];
  private facts: Map<string, Detail> | undefined;
  private notes: Map<string, Detail> | undefined;
  private readonly owned: Disposable[] = [];
  private cutter: AbortController | undefined;
  private readonly cutListeners = new Listeners<(reason: unknown) => void>();
  private cutReason: unknown;

  constructor(deps: RunDeps, check: StepCheck) {
    this.deps = deps;
    this.check = check;
    this.clock = deps.clock;
    this.timeoutMs = check.timeoutMs;
    this.stopwatch = createStopwatch(deps.clock);
    for (const secret of secretValues(check.probe, check.target, check.options)) this.redact(secret);
    if (check.secrets !== undefined)
      for (const secret of check.secrets.values()) this.redact(secret.reveal());
  }

  get agent(): AbortSignal {
    return this.deps.signal;
  }

  get dial(): Dial {
    return this.deps.dial;
  }

  get policy(): Policy {
    return this.deps.policy;
  }

  get random(): () => number {
    return this.deps.random;
  }

  get method(): Method {
    return this.check.probe.method;
  }

  get secrets(): ReadyCheck['secrets'] {
    return this.check.secrets;
  }

  get message(): string | undefined {
    return this.check.message;
  }

  get signal(): AbortSignal {
    this.cutter ??= new AbortController();
    if (this.cutReason !== undefined) this.cutter.abort(this.cutReason);
    return this.cutter.signal;
  }

  onCut(listener: (reason: unknown) => void): Disposable {
    return this.cutListeners.add(listener);
  }

  addDetail(key: string, value: Detail): void {
    this.facts ??= new Map();
    this.facts.set(key, value);
  }

  setPeers(list: readonly Peer[]): void {
    if (this.peers.length === 0) this.addDetail('Address', () => showPeers(this.peers));
    this.peers = list;
  }

  diagnostics(key: string, value: Detail): void {
    this.notes ??= new Map();
    this.notes.set(key, value);
  }

  own(resource: Disposable): void {
    if (this.cutReason !== undefined) disposeQuietly(resource);
    else this.owned.push(resource);
  }

  redact(secret: string): void {
    this.mask ??= createMask([]);
    this.mask.add(secret);
  }

  async runStep(step: StepRequest): Promise<StepResult> {
    const { secrets, timeoutMs } = this;
    const found = readStep(step);
    if (!found.ok) return found;
    for (const secret of secretValues(found.probe, found.target, found.options)) this.redact(secret);
    if (this.cutReason !== undefined) return { ok: true, measurement: notRun(agentEnded), answer: {} };
    const running = new RunningCheck(
      { ...this.deps, signal: this.signal },
      {
        ...found,
        timeoutMs: Math.min(step.timeoutMs ?? timeoutMs, timeoutMs),
        ...(secrets && { secrets }),
        ...(step.message !== undefined && { message: step.message }),
      },
    );
    const ended = await runUntilDeadline(running);
    const { answer } = ended.outcome;
    return { ok: true, measurement: running.measured(ended), answer: answer?.() ?? {} };
  }

  probe(): Promise<Outcome> {
    return this.check.probe.run(this, this.check.target, this.check.options);
  }

  cut(reason: unknown): void {
    if (this.cutReason !== undefined) return;
    this.cutReason = reason;
    this.cutter?.abort(reason);
    for (const listener of this.cutListeners.takeAll()) listener(reason);
  }

  timedOut(): Outcome {
    const { target, timeoutMs } = this.check;
    return timedOut(this.stopwatch, this.peerText(), target, timeoutMs);
  }

  /** The measurement of the check; ends everything that the probe opened, the last one first. */
  measured({ outcome, phases }: Ended): Measurement {
    const { peers, facts = noDetails, notes: diagnostics = noDetails, mask = noMask } = this;
    const slowMs = slowMsOf(this.check.options);
    const measured = measure({ outcome, phases, peers, facts, diagnostics, mask, slowMs });
    this.cut('the check has ended');
    while (this.owned.length > 0) disposeQuietly(this.owned.pop());
    return measured;
  }

  /** The place that the check talks to, for a sentence. */
  private peerText(): string {
    const { host, port } = this.check.target;
    if (this.peers.length > 0) return showPeers(this.peers);
    return host === '' ? 'the script' : showPeer(host, port);
  }
}

const noDetails: ReadonlyMap<string, Detail> = new Map();

/** Validates the check that a script requests. Script itself is not among its methods. */
function readStep(
  step: StepRequest,
): ({ readonly ok: true } & Pick<ReadyCheck, 'probe' | 'target' | 'options'>) | Refusal {
  const probe = step.method === 'Script' ? undefined : probeFor(step.method);
  if (!probe) return { ok: false, message: `${step.method} cannot be used within a script` };
  const found = probe.parseTarget(step.url);
  if (!found.ok) return { ok: false, message: `the address is not accepted: ${found.message}` };
  const options = probe.options.safeParse(spellOptions(probe.options, step.options));
  if (options.success) return { ok: true, probe, target: found.target, options: options.data };
  const faults = options.error.issues.map((each) => `${each.path.join('.') || 'options'}: ${each.message}`);
  return { ok: false, message: faults.join('; ') };
}

type Refusal = Extract<StepResult, { ok: false }>;

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

function disposeQuietly(resource: Disposable | undefined): void {
  try {
    resource?.[Symbol.dispose]();
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
