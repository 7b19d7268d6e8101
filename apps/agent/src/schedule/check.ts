import { isGood, type ResultCode, resultCode } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { type Dial, type Measurement, readSpec, runCheck } from '@vantage/probes';
import { type Assignment, type CheckResult, CheckResultSchema } from '@vantage/proto';
import type { LocalSecrets } from '../config/local-secrets.ts';
import type { AgentPolicy } from '../policy/policy.ts';
import {
  type DeviceSchedule,
  isOneOffDone,
  type Job,
  retryRulesOf,
  setRetrySequence,
} from './device-schedule.ts';
import { asStalled } from './due-times.ts';
import { afterAnswer, isFirstError } from './retry-sequence.ts';

/** Checks a device once, as far as this machine's policy allows. Never throws. */
export type CheckRunner = (assignment: Assignment, signal: AbortSignal) => Promise<Measurement>;

/** Creates the runner; it reads an assignment's settings once. */
export function createCheckRunner(deps: {
  readonly clock: Clock;
  readonly dial: Dial;
  readonly policy: AgentPolicy;
  readonly random: () => number;
  /** The machine's own secrets now; another map after a change. */
  readonly localSecrets: () => LocalSecrets;
}): CheckRunner {
  const { policy } = deps;
  // The checks of the schedule share one signal.
  let runDeps = { ...deps, signal: AbortSignal.abort() };
  const readings = new WeakMap<Assignment, { secrets: LocalSecrets; reading: ReturnType<typeof readSpec> }>();
  const readingOf = (assignment: Assignment): ReturnType<typeof readSpec> => {
    const secrets = deps.localSecrets();
    const known = readings.get(assignment);
    if (known?.secrets === secrets) return known.reading;
    const { spec } = assignment;
    const reading = spec
      ? readSpec(spec, (name) => secrets.get(name)?.reveal())
      : ({ ok: false, message: 'the controller sent no check' } as const);
    readings.set(assignment, { secrets, reading });
    return reading;
  };
  return (assignment, signal) => {
    const reading = readingOf(assignment);
    if (!reading.ok) return Promise.resolve(without(resultCode.agent, reading.message));
    const refusal = policy.refuseMethod(reading.check.probe.method);
    if (refusal !== undefined) return Promise.resolve(without(resultCode.policy, refusal));
    if (runDeps.signal !== signal) runDeps = { ...deps, signal };
    return runCheck(runDeps, reading.check);
  };
}

/** The measurement of a check that did not run. */
function without(code: ResultCode, text: string): Measurement {
  const phases = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  return { code, text, phases, dataSize: 0, slow: false, peers: [], extended: {} };
}

/** So many measurements of a device in a row may be discarded because the process stood still during the check. */
const maxDiscarded = 3;

/** A check that started, with the settings and the job of that moment. Corrected microseconds. */
export interface StartedCheck {
  readonly schedule: DeviceSchedule;
  readonly assignment: Assignment;
  readonly job: Job;
  readonly startUs: number;
  /** How late it started after its due time. */
  readonly blockMs: number;
}

/**
 * The measurement to confirm, or undefined where it is discarded: after it stood still during a check, a process knows
 * neither the device's state nor its times. After three in a row, a failure becomes the agent's own fault.
 */
export function usableMeasurement(
  schedule: DeviceSchedule,
  measurement: Measurement,
  isStalled: boolean,
): Measurement | undefined {
  if (isStalled && schedule.discarded < maxDiscarded) {
    schedule.discarded += 1;
    return undefined;
  }
  schedule.discarded = 0;
  return isStalled && !isGood(measurement.code) ? asStalled(measurement) : measurement;
}

/** Applies a confirmed measurement to the device's schedule; returns the result to write. */
export function applyMeasurement(
  check: StartedCheck,
  measurement: Measurement,
  at: {
    readonly endUs: number;
    readonly nowUs: number;
    readonly requestGraceMs: number;
    readonly newId: () => string;
  },
): { readonly result: CheckResult; readonly context: ResultContext } {
  const { schedule, assignment, job, startUs, blockMs } = check;
  const { deviceNo, deviceCreatedUs, revision } = assignment;
  const attempt = job.kind === 'retry' ? job.attempt : 0;
  const retryId = job.kind === 'retry' ? job.retryId : '';
  const answer = { code: measurement.code, attempt, retryId, endUs: at.endUs };
  const before = schedule.retrySequence;
  const after = afterAnswer(before, answer, retryRulesOf(assignment, at.requestGraceMs), at.newId);
  const runRequestId = job.kind === 'regular' ? '' : job.runRequestId;
  const device = { deviceNo, deviceCreatedUs, revision };
  const facts = { ...device, startUs, blockMs, attempt, retryId: after.retryId, runRequestId };
  if (schedule.oneOff) schedule.gone = isOneOffDone(schedule, job);
  else if (schedule.assignment.revision === revision) setRetrySequence(schedule, after.sequence, at.nowUs);
  schedule.checkedRevision = revision;
  return {
    result: resultOf(facts, measurement),
    context: { assignment, measurement, isFirstError: isFirstError(before, after.sequence) },
  };
}

/** The facts of a check beside its measurement. */
interface CheckFacts {
  readonly deviceNo: number;
  /** As the assignment has it. */
  readonly deviceCreatedUs: bigint;
  readonly startUs: number;
  readonly revision: number;
  readonly blockMs: number;
  readonly attempt: number;
  readonly retryId: string;
  readonly runRequestId: string;
}

/** How a result came to be. */
export interface ResultContext {
  readonly assignment: Assignment;
  readonly measurement: Measurement;
  /** Whether this is the first error after a good result. */
  readonly isFirstError: boolean;
}

/**
 * A check as it goes to disk and over the wire. Written out, because `create` sets the fields by their names one after
 * the other: V8 keeps such an object as a hash table, three times as large, and thousands wait for their ack.
 */
export function resultOf(facts: CheckFacts, measurement: Measurement): CheckResult {
  const { phases } = measurement;
  return {
    $typeName: CheckResultSchema.typeName,
    deviceNo: facts.deviceNo,
    deviceCreatedUs: facts.deviceCreatedUs,
    startUs: BigInt(facts.startUs),
    revision: facts.revision,
    resultCode: measurement.code,
    checkResult: measurement.text,
    blockMs: facts.blockMs,
    dnsMs: phases.dns,
    connectMs: phases.connect,
    sslMs: phases.ssl,
    ttfbMs: phases.ttfb,
    ttlbMs: phases.ttlb,
    dataSize: measurement.dataSize,
    attempt: facts.attempt,
    retryId: facts.retryId,
    runRequestId: facts.runRequestId,
    slow: measurement.slow,
    extendedJson: JSON.stringify(measurement.extended),
    behindAnchor: measurement.behindAnchor ?? false,
  };
}
