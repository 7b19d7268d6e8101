import { type ResultCode, resultCode } from '@vantage/domain';
import type { Clock } from '@vantage/kernel';
import { type Dial, type Measurement, readSpec, runCheck } from '@vantage/probes';
import type { Assignment } from '@vantage/proto';
import type { LocalSecrets } from '../config/local-secrets.ts';
import type { AgentPolicy } from '../policy/policy.ts';

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
  return async (assignment, signal) => {
    const reading = readingOf(assignment);
    if (!reading.ok) return without(resultCode.agent, reading.message);
    const refusal = policy.refuseMethod(reading.check.probe.method);
    if (refusal !== undefined) return without(resultCode.policy, refusal);
    return runCheck({ ...deps, signal }, reading.check);
  };
}

/** The measurement of a check that did not run. */
function without(code: ResultCode, text: string): Measurement {
  const phases = { dns: 0, connect: 0, ssl: 0, ttfb: 0, ttlb: 0 };
  return { code, text, phases, dataSize: 0, slow: false, peers: [], extended: {} };
}
