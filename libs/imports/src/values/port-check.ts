import type { TargetOrReason } from '../found-check.ts';
import { authorityOf, hostPort } from './host-port.ts';

/** Default ports of protocols whose addresses may name none. */
const standardPorts: Readonly<Record<string, number>> = {
  mongodb: 27_017,
  amqp: 5672,
  amqps: 5671,
  ldap: 389,
  ldaps: 636,
  mssql: 1433,
  sqlserver: 1433,
};
const tlsSchemes = ['amqps', 'ldaps'];

/**
 * Checks only the port of a protocol that no Method speaks. `unchecked` says what is lost: `the WebSocket is not`. The
 * login in the address is left out, because nothing is sent.
 */
export function portCheck(address: string, unchecked: string, defaultPort?: number): TargetOrReason {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(address)?.[1]?.toLowerCase().replace(/\+.*$/, '') ?? '';
  const authority = authorityOf(address).replace(/;.*$/s, '');
  const firstHost = authority.slice(authority.lastIndexOf('@') + 1).split(',')[0] ?? '';
  const parts = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(firstHost);
  const host = parts?.[1] ?? '';
  const port = parts?.[2] === undefined ? (defaultPort ?? standardPorts[scheme]) : Number(parts[2]);
  if (host === '' || port === undefined) return `has no host and port for a check of the port (${unchecked})`;
  const target = hostPort(host.replace(/^\[|\]$/g, ''), port);
  return {
    method: 'TCP',
    url: `${tlsSchemes.includes(scheme) ? 'tls' : 'tcp'}://${target}`,
    lost: [`only its port is checked: ${unchecked}`],
  };
}
