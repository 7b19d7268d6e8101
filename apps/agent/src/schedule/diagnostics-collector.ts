import { create } from '@bufbuild/protobuf';
import { type Clock, declareState } from '@vantage/kernel';
import {
  methodOf,
  type Policy,
  type RequestedTrace,
  requestedTrace,
  type Trace,
  type TracePlan,
  type TraceRequest,
  traceDiagnostics,
  tracePlan,
} from '@vantage/probes';
import { type CheckResult, type Diagnostics, DiagnosticsSchema } from '@vantage/proto';
import type { ResultContext } from './check-outcome.ts';

/** Collects diagnostics of checks whose results are written already. It delays no result. */
export interface DiagnosticsCollector {
  /** The result of this run request needs a traceroute, whatever the result is. */
  expect(runRequestId: string): void;
  /** A result is in the outbox. Returns at once; ignores results that need no diagnostics. */
  written(result: CheckResult, context: ResultContext): void;
  /** Ends the running traceroutes without writing them, and starts no more. */
  stop(): Promise<void>;
}

/**
 * Concurrent traceroutes after failures. Further failures get none: when many devices fail together, the first few show
 * the path.
 */
const maxAtOnce = 4;

/** Minimum time between two traceroutes of a device, milliseconds. */
const minIntervalMs = 10 * 60_000;

const maxTraceMs = 10_000;

/** Concurrent requested traceroutes, in addition to those after failures. */
const maxRequested = 4;

/** Run requests whose results are expected. The oldest are forgotten, because their checks did not run. */
const maxExpected = 100;

const trackedTraces = declareState({
  name: 'traced_devices',
  entries: { each: 'device' },
  entryBytes: 100,
  filledBy: 'targets that fail',
  atBound: 'a device is forgotten after ten minutes',
});

const trackedRequests = declareState({
  name: 'expected_traceroutes',
  entries: maxExpected,
  entryBytes: 150,
  filledBy: 'callers of the REST API',
  atBound: 'the oldest is forgotten',
});

/**
 * Creates the collector. While `isOnline` is false it traces nothing, because it would trace the dead uplink of the
 * agent.
 */
export function createDiagnosticsCollector(deps: {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly trace: (request: TraceRequest) => Promise<Trace>;
  readonly isOnline: () => boolean;
  readonly append: (diagnostics: Diagnostics) => void;
}): DiagnosticsCollector {
  const { clock, policy } = deps;
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  /** Time of the last traceroute of each device, monotonic milliseconds; oldest first. */
  const traced = trackedTraces(new Map<number, number>());
  const expected = trackedRequests(new Set<string>());
  const requested = new Set<Promise<void>>();

  const forgetOld = (nowMs: number) => {
    for (const [deviceNo, atMs] of traced) {
      if (nowMs - atMs < minIntervalMs) return;
      traced.delete(deviceNo);
    }
  };
  const write = ({ deviceNo, startUs, deviceCreatedUs }: CheckResult, trace: Trace) => {
    const extendedJson = JSON.stringify({ Traceroute: traceDiagnostics(trace) });
    deps.append(create(DiagnosticsSchema, { deviceNo, startUs, deviceCreatedUs, extendedJson }));
  };
  const start = (group: Set<Promise<void>>, result: CheckResult, plan: TracePlan) => {
    const run = deps
      .trace({ ...plan, deadlineMs: maxTraceMs, signal: ending.signal, clock })
      .then((trace) => {
        if (!ending.signal.aborted) write(result, trace);
      })
      .finally(() => group.delete(run));
    group.add(run);
  };
  const afterRequest = (result: CheckResult, context: ResultContext) => {
    const trace = requestedOf(context, policy);
    if (!trace.ok) write(result, trace);
    else if (requested.size < maxRequested) start(requested, result, trace.plan);
    else write(result, { ok: false, reason: `${maxRequested} other requested traceroutes are running` });
  };
  const afterFailure = (result: CheckResult, context: ResultContext) => {
    const plan = planOf(context, policy);
    if (plan === undefined || !deps.isOnline()) return;
    const nowMs = clock.monoMs();
    forgetOld(nowMs);
    if (running.size >= maxAtOnce || traced.has(result.deviceNo)) return;
    traced.set(result.deviceNo, nowMs);
    start(running, result, plan);
  };
  return {
    expect(runRequestId) {
      expected.add(runRequestId);
      const [oldest] = expected;
      if (expected.size > maxExpected && oldest !== undefined) expected.delete(oldest);
    },
    written(result, context) {
      if (ending.signal.aborted) return;
      if (expected.delete(result.runRequestId)) afterRequest(result, context);
      else afterFailure(result, context);
    },
    async stop() {
      ending.abort(new Error('the agent ends'));
      await Promise.all([...running, ...requested]);
    },
  };
}

/** Decides the target of a requested traceroute, as far as the policy allows. Pure. */
function requestedOf({ assignment, measurement }: ResultContext, policy: Policy): RequestedTrace {
  const method = assignment.spec && methodOf(assignment.spec);
  if (method === undefined) return { ok: false, reason: 'the agent does not know its Method' };
  const trace = requestedTrace(method, measurement);
  if (!trace.ok) return trace;
  const { address, port } = trace.plan;
  const reason = policy.refuse({ address, port, method });
  return reason === undefined ? trace : { ok: false, reason };
}

/**
 * Decides the target of a traceroute after a result: only after the first error of a retry sequence, as far as the
 * policy allows. Pure.
 */
function planOf(
  { assignment, measurement, isFirstError }: ResultContext,
  policy: Policy,
): TracePlan | undefined {
  const method = assignment.spec && methodOf(assignment.spec);
  const plan = isFirstError && method !== undefined ? tracePlan(method, measurement) : undefined;
  if (plan === undefined || method === undefined) return undefined;
  return policy.refuse({ address: plan.address, port: plan.port, method }) === undefined ? plan : undefined;
}
