import type { FoundTarget } from './found.ts';
import { hostPort } from './values.ts';

/** Ports that services have where an address names none. */
const standardPorts: Readonly<Record<string, number>> = {
  postgres: 5432,
  postgresql: 5432,
  mongodb: 27_017,
  redis: 6379,
  rediss: 6379,
  mqtt: 1883,
  mqtts: 8883,
  amqp: 5672,
  amqps: 5671,
  ldap: 389,
  ldaps: 636,
  ws: 80,
  wss: 443,
  grpc: 80,
  grpcs: 443,
  mssql: 1433,
  sqlserver: 1433,
};
const underTls = ['rediss', 'mqtts', 'amqps', 'ldaps', 'wss', 'grpcs'];

/**
 * A check of the port alone, in place of a protocol that no Method speaks. `what` names what is not checked any more.
 * The login of the address is left out: nothing is sent.
 */
export function portStandIn(address: string, what: string, port?: number): FoundTarget {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase().replace(/\+.*$/, '') ?? '';
  const place = address.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[/?#;].*$/s, '');
  const first = place.slice(place.lastIndexOf('@') + 1).split(',')[0] ?? '';
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(first);
  const host = parts?.[1] ?? '';
  const standing = parts?.[2] === undefined ? (port ?? standardPorts[scheme]) : Number(parts[2]);
  if (host === '' || standing === undefined) return `has no host and port for a check of the port (${what})`;
  const target = hostPort(host.replace(/^\[|\]$/g, ''), standing);
  const lost = `only its port is checked: ${what}`;
  if (scheme === 'redis' || scheme === 'rediss')
    return redisCheck(target, scheme === 'rediss', place.includes('@'), lost);
  return { method: 'TCP', url: `${underTls.includes(scheme) ? 'tls' : 'tcp'}://${target}`, lost: [lost] };
}

/** Redis answers PING without a login with +PONG, with one that is missing with -NOAUTH. */
function redisCheck(target: string, tls: boolean, login: boolean, lost: string): FoundTarget {
  const url = `${tls ? 'tls' : 'tcp'}://${target}`;
  const step = { Send: 'PING\r\n', Expect: login ? '-NOAUTH' : '+PONG' };
  return { method: 'TCP', url, options: { Steps: [step] }, lost: login ? [lost] : [] };
}
