import { type Method, resultCode } from '@vantage/domain';
import { type Clock, isRecord, Listeners } from '@vantage/kernel';
import type { Dial, Peer, Policy, Stopwatch } from '../contract/dial.ts';
import { showPeer, showPeers, showSeconds } from '../contract/display.ts';
import type {
  Measurement,
  ProbeContext,
  ProbeOutcome,
  StepRequest,
  StepResult,
  Target,
} from '../contract/probe.ts';
import { createMask, type Mask, noMask } from '../redact/mask.ts';
import { secretValues } from '../redact/secret-options.ts';
import { type EndedProbe, runUntilDeadline, type TimedRun } from './deadline.ts';
import { bareOutcome, type Detail, measure } from './measurement.ts';
import { spellOptions } from './option-spelling.ts';
import { probeFor, type ReadyCheck } from './registry.ts';
import { createStopwatch } from './stopwatch.ts';

/** Shared by all checks of an agent. */
export interface RunDeps {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly dial: Dial;
  /** Aborts when the agent stops. The caller must discard measurements made under an aborted signal. */
  readonly signal: AbortSignal;
  readonly random: () => number;
}

export const agentEnded = 'the agent ended before this check';

/** A check that never began. */
export function notRun(text: string): Measurement {
  const phases = createStopwatch({ monoMs: () => 0 }).read();
  return { code: resultCode.agent, text, phases, dataSize: 0, slow: false, peers: [], extended: {} };
}

/** A check, or a step of a script with the message that it sends. */
type StepCheck = ReadyCheck & Pick<StepRequest, 'message' | 'policyMethod'>;

/**
 * A running check and the context of its probe: collects the probe's facts and owns its resources. It is a class,
 * because function objects would be most of a check's memory. Parts that few checks need are created on first use.
 */
export class RunningCheck implements ProbeContext, TimedRun {
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
  private part: string | undefined;

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
    return this.check.policyMethod ?? this.check.probe.method;
  }

  get device(): string | undefined {
    return this.check.device;
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

  beginPart(title: string | undefined): void {
    this.part = title;
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
    const { secrets, timeoutMs, device } = this;
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
        ...(device !== undefined && { device }),
        ...(step.message !== undefined && { message: step.message }),
        ...(step.policyMethod !== undefined && { policyMethod: step.policyMethod }),
      },
    );
    const ended = await runUntilDeadline(running);
    const { answer } = ended.outcome;
    return { ok: true, measurement: running.measured(ended), answer: answer?.() ?? {} };
  }

  probe(): Promise<ProbeOutcome> {
    const { probe, target, options, isOffer } = this.check;
    if (isOffer !== true) return probe.run(this, target, options);
    if (probe.offer !== undefined) return probe.offer(this, target, options);
    return Promise.resolve(bareOutcome(resultCode.agent, `${probe.method} offers nothing to choose from`));
  }

  cut(reason: unknown): void {
    if (this.cutReason !== undefined) return;
    this.cutReason = reason;
    this.cutter?.abort(reason);
    for (const listener of this.cutListeners.takeAll()) listener(reason);
  }

  timedOut(): ProbeOutcome {
    const { target, timeoutMs } = this.check;
    const outcome = timedOut(this.stopwatch, this.peerText(), target, timeoutMs);
    return this.part === undefined ? outcome : { ...outcome, text: `${this.part}: ${outcome.text}` };
  }

  /** The measurement of the check. Disposes of the probe's resources, the last one first. */
  measured({ outcome, phases }: EndedProbe): Measurement {
    const { peers, facts = noDetails, notes: diagnostics = noDetails, mask = noMask } = this;
    const slowMs = slowMsOf(this.check.options);
    const measured = measure({ outcome, phases, peers, facts, diagnostics, mask, slowMs });
    this.cut('the check has ended');
    while (this.owned.length > 0) disposeQuietly(this.owned.pop());
    return measured;
  }

  /** The peer of the check, for a sentence. */
  private peerText(): string {
    const { host, port } = this.check.target;
    if (this.peers.length > 0) return showPeers(this.peers);
    return host === '' ? 'the script' : showPeer(host, port);
  }
}

const noDetails: ReadonlyMap<string, Detail> = new Map();

/** Validates the check that a script requests. A script cannot run scripts. */
function readStep(
  step: StepRequest,
): ({ readonly ok: true } & Pick<ReadyCheck, 'probe' | 'target' | 'options'>) | RefusedStep {
  const probe = step.method === 'Script' ? undefined : probeFor(step.method);
  if (!probe) return { ok: false, message: `${step.method} cannot be used within a script` };
  const found = probe.parseTarget(step.url);
  if (!found.ok) return { ok: false, message: `the address is not accepted: ${found.message}` };
  const options = probe.options.safeParse(spellOptions(probe.options, step.options));
  if (options.success) return { ok: true, probe, target: found.target, options: options.data };
  const faults = options.error.issues.map(
    ({ path, message }) => `${path.join('.') || 'options'}: ${message}`,
  );
  return { ok: false, message: faults.join('; ') };
}

type RefusedStep = Extract<StepResult, { ok: false }>;

/** The verdict at the deadline, by the phase that was running then. */
function timedOut(stopwatch: Stopwatch, peerText: string, target: Target, timeoutMs: number): ProbeOutcome {
  const within = `within ${showSeconds(timeoutMs)}`;
  if (target.host === '') return bareOutcome(resultCode.timeout, `${peerText} did not end ${within}`);
  switch (stopwatch.running()) {
    case 'dns':
      return bareOutcome(
        resultCode.agent,
        `none of this agent's resolvers answered about ${target.host} ${within}`,
      );
    case 'ssl':
      return bareOutcome(resultCode.timeout, `no answer from ${peerText} to the TLS handshake ${within}`);
    case 'ttfb':
      return bareOutcome(
        resultCode.timeout,
        `no answer from ${peerText} ${within}${stopwatch.read().connect > 0 ? ', though it is connected' : ''}`,
      );
    case 'ttlb':
      return bareOutcome(resultCode.timeout, `the answer from ${peerText} was not complete ${within}`);
    case 'connect':
    case undefined:
      return bareOutcome(resultCode.timeout, `no answer from ${peerText} ${within}`);
  }
}

function slowMsOf(options: unknown): number | undefined {
  const slowMs = isRecord(options) ? options['SlowMs'] : undefined;
  return typeof slowMs === 'number' ? slowMs : undefined;
}

function disposeQuietly(resource: Disposable | undefined): void {
  try {
    resource?.[Symbol.dispose]();
  } catch {
    // The result of the check is known, so an error of a closed resource does not matter.
  }
}
