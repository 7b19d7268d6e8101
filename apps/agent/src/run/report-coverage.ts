import { create } from '@bufbuild/protobuf';
import type { Clock } from '@vantage/kernel';
import { CoverageSpanSchema } from '@vantage/proto';
import type { Checks } from './checks.ts';
import type { Stores } from './stores.ts';

/** Appends the time spans that were covered since the last report to the outbox. */
export function reportCoverage({
  clock,
  stores,
  checks,
}: {
  readonly clock: Clock;
  readonly stores: Stores;
  readonly checks: Checks;
}): void {
  const { time, append } = stores;
  const nowUs = time.nowUs();
  // A dead uplink or anchor ends no coverage: each device behind it has a result of code 10, and devices in the own
  // subnets are still checked.
  const nowMs = clock.monoMs();
  const unconfirmedMs = Math.min(
    checks.uplink.unconfirmedFromMs ?? nowMs,
    checks.anchors.unconfirmedFromMs ?? nowMs,
  );
  const unconfirmedUs = nowUs - (nowMs - unconfirmedMs) * 1000;
  const openFromUs = Math.min(checks.scheduler.waitingUs() ?? nowUs, unconfirmedUs);
  for (const { fromUs, toUs } of checks.coverage.take(nowUs, openFromUs)) {
    append({
      case: 'coverage',
      value: create(CoverageSpanSchema, {
        fromUs: BigInt(Math.round(fromUs)),
        toUs: BigInt(Math.round(toUs)),
      }),
    });
  }
}
