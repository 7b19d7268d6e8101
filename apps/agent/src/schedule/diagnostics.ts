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

/** Collects diagnostics of failures whose results are written already; delays no result. */
export interface DiagnosticsCollector {
  /** A result is in the outbox. Returns at once; ignores results that need no diagnostics. */
  failed(result: CheckResult, context: ResultContext): void;
  /** Ends the running traceroutes without writing them, and starts none after them. */
  stop(): Promise<void>;
}

/** Traceroutes at one moment. Further failures get none: when many devices fail at once, the first few show the path. */
const maxAtOnce = 4;
/** One device is traced once in so long, milliseconds. */
const apartMs = 10 * 60_000;
const longestMs = 10_000;

/** Makes the collector. While `isOnline` is false it traces nothing, because it would trace the agent's own dead uplink. */
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

/** Decides where to trace to after a result: only after the first error of a retry sequence, as far as the policy allows. Pure. */
function planOf(
  { assignment, measurement, isFirstError }: ResultContext,
  policy: Policy,
): TracePlan | undefined {
  const method = assignment.spec && methodOf(assignment.spec);
  const plan = isFirstError && method !== undefined ? tracePlan(method, measurement) : undefined;
  if (plan === undefined || method === undefined) return undefined;
  return policy.refuse({ address: plan.address, port: plan.port, method }) === undefined ? plan : undefined;
}
