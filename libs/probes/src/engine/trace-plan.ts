import { type Method, resultCode } from '@vantage/domain';
import type { Measurement } from '../contract/probe.ts';
import type { TraceRequest } from '../net/traceroute.ts';
import { registry } from './registry.ts';

export type TracePlan = Pick<TraceRequest, 'address' | 'port' | 'kind'>;

/** A traceroute that a user requested; `reason` says why it is impossible. */
export type RequestedTrace =
  | { readonly ok: true; readonly plan: TracePlan }
  | { readonly ok: false; readonly reason: string };

/**
 * Plans a traceroute for a failed check if it helps: there was no answer (code 2), and an address is known. Pure.
 */
export function tracePlan(
  method: Method,
  measurement: Pick<Measurement, 'code' | 'peers' | 'text'>,
): TracePlan | undefined {
  if (measurement.code !== resultCode.timeout) return undefined;
  const trace = requestedTrace(method, measurement);
  return trace.ok ? trace.plan : undefined;
}

/**
 * Plans the traceroute after a check that a user requested, whatever the result. It goes to the address of the check,
 * with the same kind of packets, so that they meet the same firewalls. Pure.
 */
export function requestedTrace(
  method: Method,
  { peers, text }: Pick<Measurement, 'peers' | 'text'>,
): RequestedTrace {
  const { tracePackets } = registry[method];
  if (tracePackets === 'none') return { ok: false, reason: `a device of Method ${method} has no one target` };
  // If the check tried several addresses, the first one is traced.
  const [first] = peers;
  if (first === undefined) return { ok: false, reason: `its check came to no address (${text})` };
  return { ok: true, plan: { ...first, kind: tracePackets } };
}
