import type { Measurement } from '@vantage/probes';
import { type CheckResult, CheckResultSchema, type MeasuredValue, MeasuredValueSchema } from '@vantage/proto';

/** The facts of a check other than its measurement. */
interface ResultFacts {
  readonly deviceNo: number;
  /** Copied from the assignment. */
  readonly deviceCreatedUs: bigint;
  readonly startUs: number;
  readonly revision: number;
  readonly blockMs: number;
  readonly attempt: number;
  readonly retryId: string;
  readonly runRequestId: string;
}

/**
 * Builds the result for disk and wire. It is an object literal, because `create` sets the fields one after the other by
 * name. V8 keeps such an object as a hash table, three times as large, and thousands wait for their ack.
 */
export function resultOf(facts: ResultFacts, measurement: Measurement): CheckResult {
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
    values: measurement.values?.map(wireValue) ?? noValues,
  };
}

/** Shared by the results without values, of which thousands wait. */
const noValues: MeasuredValue[] = [];

function wireValue({ Label, Value, Unit }: NonNullable<Measurement['values']>[number]): MeasuredValue {
  return { $typeName: MeasuredValueSchema.typeName, label: Label, value: Value, unit: Unit };
}
