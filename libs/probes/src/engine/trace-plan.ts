import { type Method, resultCode } from '@vantage/domain';
import type { Measurement } from '../contract/probe.ts';
import type { TraceRequest } from '../net/traceroute.ts';
import { registry } from './registry.ts';

/** What a traceroute needs to know of a failure. */
export type TracePlan = Pick<TraceRequest, 'address' | 'port' | 'kind'>;

/**
 * Decides whether a traceroute helps to understand a failed check, and with which packets: no answer came (code 2) and an address
 * is known. It uses the packets of the check itself, so that they meet the same firewalls. Pure.
 */
export function tracePlan(
  method: Method,
  { code, peers }: Pick<Measurement, 'code' | 'peers'>,
): TracePlan | undefined {
  if (code !== resultCode.timeout) return undefined;
  // Where the check tried several addresses at once, the first one stands for them.
  const [first] = peers;
  if (first === undefined) return undefined;
  const { tracePackets } = registry[method];
  return tracePackets === 'none' ? undefined : { ...first, kind: tracePackets };
}
