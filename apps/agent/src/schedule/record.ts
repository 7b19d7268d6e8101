import { create } from '@bufbuild/protobuf';
import type { Measurement } from '@vantage/probes';
import { type Assignment, type CheckResult, CheckResultSchema } from '@vantage/proto';

/** The facts of a check beside its measurement. */
export interface CheckFacts {
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

/** A check as it goes to disk and over the wire. */
export function resultOf(facts: CheckFacts, measurement: Measurement): CheckResult {
  const { phases } = measurement;
  return create(CheckResultSchema, {
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
  });
}
