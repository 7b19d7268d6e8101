import type { Method } from './method.ts';

const ports: Readonly<Partial<Record<Method, number>>> = {
  SSH: 22,
  SMTP: 25,
  POP3: 110,
  IMAP4: 143,
  FTP: 21,
  TELNET: 23,
  NNTP: 119,
  MySQL: 3306,
  SNMP: 161,
  Redis: 6379,
  PostgreSQL: 5432,
  MQTT: 1883,
  WebSocket: 80,
  gRPC: 50_051,
};
/** Ports of the schemes under TLS. */
const tlsPorts: Readonly<Record<string, number>> = {
  smtps: 465,
  pop3s: 995,
  imaps: 993,
  ftps: 990,
  nntps: 563,
  telnets: 992,
  mqtts: 8883,
  wss: 443,
  grpcs: 443,
};

/**
 * The target of a device in the form of Prometheus' probes: `host`, `host:port`, or the whole URL for HTTP. A login is
 * left out.
 */
export function probeTarget(method: Method, url: string): string {
  if (method === 'HTTP') return url.replace(/^(https?:\/\/)[^@/?#]*@/i, '$1');
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const rest = url.replace(/^[a-z0-9+.-]+:\/\//i, '').replace(/[/?#].*$/s, '');
  const authority = rest.slice(rest.lastIndexOf('@') + 1);
  const port = tlsPorts[scheme] ?? ports[method];
  if (port === undefined) return authority;
  return /:\d+$/.test(authority) && !/^[0-9a-f:]+$/i.test(authority) ? authority : `${authority}:${port}`;
}
