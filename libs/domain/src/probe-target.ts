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
  NTP: 123,
  LDAP: 389,
  RADIUS: 1812,
  SIP: 5060,
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
  ldaps: 636,
  sips: 5061,
  mqtts: 8883,
  wss: 443,
  grpcs: 443,
};

/**
 * The target of a device in the form of Prometheus' probes: `host`, `host:port`, or the whole URL for HTTP. A login is
 * left out.
 */
export function probeTarget(method: Method, device: string): string {
  const url = method === 'SIP' ? device.replace(/^(sips?):(?!\/\/)/i, '$1://') : device;
  if (method === 'HTTP') return url.replace(/^(https?:\/\/)[^@/?#]*@/i, '$1');
  if (method === 'Domain') return url.replace(/^domain:(\/\/)?/i, '');
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(url)?.[1]?.toLowerCase() ?? '';
  const rest = url.replace(/^[a-z0-9+.-]+:\/\//i, '').replace(/[/?#].*$/s, '');
  const authority = rest.slice(rest.lastIndexOf('@') + 1);
  const port = tlsPorts[scheme] ?? ports[method];
  if (port === undefined) return authority;
  const isBareV6 = /^[^[\]]*:[^[\]]*:/.test(authority);
  if (isBareV6) return `[${authority}]:${port}`;
  return /:\d+$/.test(authority) ? authority : `${authority}:${port}`;
}
