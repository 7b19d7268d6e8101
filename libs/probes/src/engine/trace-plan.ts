import { type Method, resultCode } from '@vantage/domain';
import type { Measurement } from '../contract/probe.ts';
import type { TraceRequest } from '../net/traceroute.ts';
import { registry } from './registry.ts';

/** The facts of a failure that a traceroute needs. */
export type TracePlan = Pick<TraceRequest, 'address' | 'port' | 'kind'>;

/** A traceroute that a user asked for; `reason` says why there can be none. */
export type RequestedTrace =
  | { readonly ok: true; readonly plan: TracePlan }
  | { readonly ok: false; readonly reason: string };

/**
 * Decides whether a traceroute helps to understand a failed check, and with which packets: no answer came (code 2) and
 * an address is known. Pure.
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
 * Decides where the traceroute after a check goes that a user asked for, whatever the check's result: to the address
 * that the check used. It uses the packets of the check itself, so that they meet the same firewalls. Pure.
 */
export function requestedTrace(
  method: Method,
  { peers, text }: Pick<Measurement, 'peers' | 'text'>,
): RequestedTrace {
  const { tracePackets } = registry[method];
  if (tracePackets === 'none') return { ok: false, reason: `a device of Method ${method} has no one target` };
  // Where the check tried several addresses at once, the first one stands for them.
  const [first] = peers;
  if (first === undefined) return { ok: false, reason: `its check came to no address (${text})` };
  return { ok: true, plan: { ...first, kind: tracePackets } };
}
