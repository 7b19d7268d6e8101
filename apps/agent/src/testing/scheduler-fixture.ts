import { create } from '@bufbuild/protobuf';
import type { ResultCode } from '@vantage/domain';
import { every } from '@vantage/kernel';
import { createFakeClock } from '@vantage/kernel/testing';
import type { Measurement } from '@vantage/probes';
import { type CheckResult, type RunRequest_Kind, RunRequestSchema } from '@vantage/proto';
import { createAgentTime } from '../clock/agent-time.ts';
import type { ResultContext } from '../schedule/check-outcome.ts';
import { createCheckRateLimiter } from '../schedule/check-rate-limiter.ts';
import { createCoverage } from '../schedule/coverage.ts';
import { createLateChecks } from '../schedule/late-checks.ts';
import { createLatenessMeter } from '../schedule/lateness-meter.ts';
import { type DeviceRetrySequence, noRetrySequence } from '../schedule/retry-sequence.ts';
import { createScheduleTable } from '../schedule/schedule-table.ts';
import { createScheduler } from '../schedule/scheduler.ts';
import { createStalls } from '../schedule/stalls.ts';
import { measured } from './measurements.ts';

/** Midnight of a day, so that due times are easy to read. */
export const midnightUs = 1_699_920_000_000_000;

/**
 * A scheduler on a fake clock. Each check takes `takesMs`; it ends with the next of `codes`, whose last one repeats.
 */
export function createSchedulerFixture(
  more: {
    takesMs?: number;
    /** For so long the start of a check keeps the event loop busy. */
    startTakesMs?: number;
    concurrency?: number;
    checksPerMinute?: number;
    retrySequence?: DeviceRetrySequence;
  } = {},
) {
  const clock = createFakeClock(midnightUs);
  let sleptMs = 0;
  const time = createAgentTime({ clock, upMs: () => clock.monoMs() + sleptMs, wallOffsetUs: 0 });
  const monoMs = () => clock.monoMs();
  const coverage = createCoverage();
  const meter = createLatenessMeter();
  const stalls = createStalls({ monoMs, thresholdMs: 1500 });
  const results: CheckResult[] = [];
  const contexts: ResultContext[] = [];
  const codes: ResultCode[] = [1];
  const errors: unknown[] = [];
  let now = 0;
  let most = 0;
  const running = new Set<number>();
  const overlaps: number[] = [];
  let ids = 0;
  const pulse = every(clock, 250, () => void stalls.tick());
  const table = createScheduleTable({
    time,
    retrySequenceOf: () => more.retrySequence ?? noRetrySequence,
    requestGraceMs: 5000,
  });
  const scheduler = createScheduler({
    table,
    time,
    clock,
    async check({ deviceNo }, signal): Promise<Measurement> {
      if (running.has(deviceNo)) overlaps.push(deviceNo);
      running.add(deviceNo);
      now += 1;
      most = Math.max(most, now);
      clock.spend(more.startTakesMs ?? 0);
      await clock.sleep(more.takesMs ?? 100, signal).catch(() => undefined);
      now -= 1;
      running.delete(deviceNo);
      return measured((codes.length > 1 ? codes.shift() : codes[0]) ?? 1);
    },
    confirm: async (_deviceNo, measurement) => measurement,
    onResult(result, context) {
      results.push(result);
      contexts.push(context);
    },
    concurrency: more.concurrency ?? 100,
    rateLimiter: createCheckRateLimiter({
      checksPerMinute: more.checksPerMinute ?? Number.POSITIVE_INFINITY,
      monoMs,
    }),
    coverage,
    lateChecks: createLateChecks(monoMs),
    meter,
    stalls,
    requestGraceMs: 5000,
    newId: () => `retry-${++ids}`,
    onError: (error) => errors.push(error),
  });
  return {
    clock,
    time,
    table,
    scheduler,
    coverage,
    meter,
    stalls,
    results,
    contexts,
    codes,
    errors,
    overlaps,
    running,
    pulse,
    maxAtOnce: () => most,
    sleep: (ms: number) => {
      sleptMs += ms;
    },
    /** Seconds after midnight at which checks started. */
    starts: () => results.map(({ startUs }) => (Number(startUs) - midnightUs) / 1_000_000),
    request: (kind: RunRequest_Kind, attempt: number, retryId: string, afterS: number) =>
      create(RunRequestSchema, {
        runRequestId: `request-${attempt}`,
        kind,
        deviceNo: 1,
        retryId,
        attempt,
        notBeforeUs: BigInt(midnightUs + afterS * 1_000_000),
      }),
  };
}
