import type { TargetOrReason } from '../found-check.ts';
import type { KumaMonitor } from './kuma-monitor.ts';

/** The monitors of databases and message services that have a Method of their own, by their type. */
export const serviceTargets: Readonly<Record<string, (monitor: KumaMonitor) => TargetOrReason>> = {
  redis: redisTarget,
};

/** Kuma asks for PONG; it ignores the certificate where `ignore_tls` is set. */
function redisTarget(monitor: KumaMonitor): TargetOrReason {
  const address = monitor.text('database_connection_string') ?? '';
  if (!/^rediss?:\/\//i.test(address)) return 'has no address of the form redis://user:password@host:port';
  const query = address.search(/[?#]/);
  return {
    method: 'Redis',
    url: query < 0 ? address : address.slice(0, query),
    options: { TLS: monitor.truth('ignore_tls') ? { Verify: false } : undefined },
    lost: query < 0 ? [] : ['the parameters of its address'],
  };
}
