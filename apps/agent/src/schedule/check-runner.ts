import { type ResultCode, resultCode } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { type Dial, type Measurement, readSpec, runCheck } from '@vantage/probes';
import type { Assignment } from '@vantage/proto';
import type { LocalSecrets } from '../config/local-secrets-file.ts';
import type { AgentPolicy } from '../policy/agent-policy.ts';

/** Checks a device once, as far as the policy of this host allows. Never rejects. */
export type CheckRunner = (assignment: Assignment, signal: AbortSignal) => Promise<Measurement>;

/** Creates the runner. It parses the settings of an assignment once. */
export function createCheckRunner(deps: {
  readonly clock: Clock;
  readonly dial: Dial;
  readonly policy: AgentPolicy;
  readonly random: () => number;
  /** The secrets of this host now; another map after a change. */
  readonly localSecrets: () => LocalSecrets;
}): CheckRunner {
  const { policy } = deps;
  // All checks of the schedule share one signal.
  let runDeps = { ...deps, signal: AbortSignal.abort() };
  const readings = new WeakMap<Assignment, { secrets: LocalSecrets; reading: ReturnType<typeof readSpec> }>();
  const readingOf = (assignment: Assignment): ReturnType<typeof readSpec> => {
    const secrets = deps.localSecrets();
    const known = readings.get(assignment);
    if (known?.secrets === secrets) return known.reading;
    const { spec } = assignment;
    const read = spec
      ? readSpec(spec, (name) => secrets.get(name)?.reveal())
      : ({ ok: false, message: 'the controller sent no check' } as const);
    const device = String(assignment.deviceNo);
    const reading = read.ok ? ({ ok: true, check: { ...read.check, device } } as const) : read;
    readings.set(assignment, { secrets, reading });
    return reading;
  };
  return (assignment, signal) => {
    const reading = readingOf(assignment);
    if (!reading.ok) return Promise.resolve(notRun(resultCode.agent, reading.message));
    const refusal = policy.refuseMethod(reading.check.probe.method);
    if (refusal !== undefined) return Promise.resolve(notRun(resultCode.policy, refusal));
    if (runDeps.signal !== signal) runDeps = { ...deps, signal };
    return runCheck(runDeps, reading.check);
  };
}

/** The measurement of a check that did not run. */
function notRun(code: ResultCode, text: string): Measurement {
  const phases = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  return { code, text, phases, dataSize: 0, slow: false, peers: [], extended: {} };
}
