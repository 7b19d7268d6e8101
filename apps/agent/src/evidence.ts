import { create } from '@bufbuild/protobuf';
import type { Clock } from '@vantage/kernel';
import {
  methodOf,
  type Policy,
  type Trace,
  type TracePlan,
  type TraceRequest,
  traceEvidence,
  tracePlan,
} from '@vantage/probes';
import { type CheckResult, type Evidence, EvidenceSchema } from '@vantage/proto';
import type { Made } from './record.ts';

/** Finds out more about failures whose verdict is written already; delays nothing. */
export interface EvidenceTaker {
  /** A result was put into the outbox. Returns at once; what it says of good or uninteresting results is nothing. */
  failed(result: CheckResult, made: Made): void;
  /** Ends what runs without writing it, and takes nothing more. */
  stop(): Promise<void>;
}

/** Traceroutes at one moment. Failures beyond that go without: in an outage of many the first few tell the way. */
const mostAtOnce = 4;
/** One device is traced once in so long, milliseconds. */
const apartMs = 10 * 60_000;
const longestMs = 10_000;

/** Makes it. `canSee` says whether the agent is connected and sees; blind, it would trace its own dead uplink. */
export function createEvidence(deps: {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly trace: (request: TraceRequest) => Promise<Trace>;
  readonly canSee: () => boolean;
  readonly append: (evidence: Evidence) => void;
}): EvidenceTaker {
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
      create(EvidenceSchema, {
        deviceNo: result.deviceNo,
        startUs: result.startUs,
        extendedJson: JSON.stringify({ Traceroute: traceEvidence(seen) }),
      }),
    );
  };
  return {
    failed(result, made) {
      const plan = planOf(made, policy);
      if (plan === undefined || ending.signal.aborted || !deps.canSee()) return;
      const nowMs = clock.monoMs();
      forgetOld(nowMs);
      if (running.size >= mostAtOnce || traced.has(result.deviceNo)) return;
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

/** Where to trace to after this result, if anywhere: the first error of a chain, as far as the policy allows. Pure. */
function planOf({ assignment, measurement, beginsTrouble }: Made, policy: Policy): TracePlan | undefined {
  const method = assignment.spec && methodOf(assignment.spec);
  const plan = beginsTrouble && method !== undefined ? tracePlan(method, measurement) : undefined;
  if (plan === undefined || method === undefined) return undefined;
  return policy.refuse({ address: plan.address, port: plan.port, method }) === undefined ? plan : undefined;
}
