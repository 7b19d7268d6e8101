import { create } from '@bufbuild/protobuf';
import type { Clock } from '@vantage/kernel';
import {
  methodOf,
  type Policy,
  type Trace,
  type TracePlan,
  type TraceRequest,
  traceDiagnostics,
  tracePlan,
} from '@vantage/probes';
import { type CheckResult, type Diagnostics, DiagnosticsSchema } from '@vantage/proto';
import type { ResultContext } from './record.ts';

/** Finds out more about failures whose verdict is written already; delays nothing. */
export interface DiagnosticsCollector {
  /** A result was put into the outbox. Returns at once; what it says of good or uninteresting results is nothing. */
  failed(result: CheckResult, context: ResultContext): void;
  /** Ends what runs without writing it, and takes nothing more. */
  stop(): Promise<void>;
}

/** Traceroutes at one moment. Failures beyond that go without: in an outage of many the first few tell the way. */
const maxAtOnce = 4;
/** One device is traced once in so long, milliseconds. */
const apartMs = 10 * 60_000;
const longestMs = 10_000;

/** Makes it. `isOnline` says whether the agent is connected and sees; offline, it would trace its own dead uplink. */
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
  /** When a device was traced last, monotonic milliseconds; oldest first. */
  const traced = new Map<number, number>();

  const forgetOld = (nowMs: number) => {
    for (const [deviceNo, atMs] of traced) {
      if (nowMs - atMs < apartMs) return;
      traced.delete(deviceNo);
    }
  };
  const take = async (result: CheckResult, plan: TracePlan) => {
    const seen = await deps.trace({ ...plan, deadlineMs: longestMs, signal: ending.signal, clock });
    if (ending.signal.aborted) return;
    deps.append(
      create(DiagnosticsSchema, {
        deviceNo: result.deviceNo,
        startUs: result.startUs,
        extendedJson: JSON.stringify({ Traceroute: traceDiagnostics(seen) }),
      }),
    );
  };
  return {
    failed(result, context) {
      const plan = planOf(context, policy);
      if (plan === undefined || ending.signal.aborted || !deps.isOnline()) return;
      const nowMs = clock.monoMs();
      forgetOld(nowMs);
      if (running.size >= maxAtOnce || traced.has(result.deviceNo)) return;
      traced.set(result.deviceNo, nowMs);
      const run = take(result, plan).finally(() => running.delete(run));
      running.add(run);
    },
    async stop() {
      ending.abort(new Error('the agent ends'));
      await Promise.all(running);
    },
  };
}

/** Where to trace to after this result, if anywhere: the first error of a retry sequence, as far as the policy allows. Pure. */
function planOf(
  { assignment, measurement, isFirstError }: ResultContext,
  policy: Policy,
): TracePlan | undefined {
  const method = assignment.spec && methodOf(assignment.spec);
  const plan = isFirstError && method !== undefined ? tracePlan(method, measurement) : undefined;
  if (plan === undefined || method === undefined) return undefined;
  return policy.refuse({ address: plan.address, port: plan.port, method }) === undefined ? plan : undefined;
}
