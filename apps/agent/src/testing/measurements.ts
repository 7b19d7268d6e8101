import { create } from '@bufbuild/protobuf';
import type { ResultCode } from '@vantage/domain';
import type { Measurement } from '@vantage/probes';
import { type Assignment, AssignmentSchema } from '@vantage/proto';

/** A measurement with this ResultCode, of a target at these addresses. */
export function measured(
  code: ResultCode,
  addresses: readonly string[] = ['192.0.2.1'],
  more: Partial<Measurement> = {},
): Measurement {
  return {
    code,
    text: code === 1 ? 'fine' : 'no answer',
    phases: { dns: 0, connect: 1, ssl: 0, ttfb: 0, ttlb: 0 },
    dataSize: 0,
    slow: false,
    peers: addresses.map((address) => ({ address, port: 80 })),
    extended: {},
    ...more,
  };
}

/** An assignment with a check each minute, retried twice after 5 s by the agent alone. */
export function assignment(deviceNo: number, more: Partial<Assignment> = {}): Assignment {
  const base = create(AssignmentSchema, {
    deviceNo,
    revision: 1,
    spec: { url: 'x', timeoutMs: 1000, options: { case: 'tcp', value: {} } },
    intervalMs: 60_000,
    scheduleOffsetMs: 0,
    rotationIndex: 0,
    rotationSize: 1,
    retries: 2,
    retryDelayMs: 5000,
    retriesLocally: true,
  });
  return Object.assign(base, more);
}
