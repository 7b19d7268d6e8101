import type { Json } from '@vantage/domain';
import type { FoundOptions, TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import { numberOf, orAbsent } from '../values/unknown-values.ts';
import { ipFamily, milliseconds, type PluginArguments } from './plugin-arguments.ts';

/** check_http and check_curl: `-I` is the address of the server, `-H` (here `virtualHost`) the name in the request. */
export function httpPlugin(args: PluginArguments, virtualHost: string): TargetOrReason {
  const isSecure = args.has('S', 'ssl') || args.has('C', 'certificate');
  const address = args.value('I', 'IP-address') ?? virtualHost;
  const lost: string[] = [];
  const onRedirect = (args.value('f', 'onredirect') ?? 'ok').toLowerCase();
  const options: FoundOptions = {
    Method: methodOf(args),
    Headers: headersOf(args, address, virtualHost),
    Body: args.value('P', 'post'),
    ...loginOf(args, lost),
    MaxRedirects: ['follow', 'sticky', 'stickyport', 'curl'].includes(onRedirect) ? undefined : 0,
    ExpectStatus: statusesOf(args, onRedirect, lost),
    ExpectText: args.value('s', 'string'),
    ExpectRegex: args.value('r', 'regex', 'ereg') ?? caseInsensitive(args.value('R', 'eregi')),
    SlowMs: milliseconds(args.value('w', 'warning')),
    MaxTimeMs: milliseconds(args.value('c', 'critical')),
    IPFamily: ipFamily(args),
    TLS: isSecure ? tlsOf(args, address, virtualHost) : undefined,
  };
  if (args.has('d', 'header-string')) lost.push('the text expected in its headers');
  if (args.has('m', 'pagesize')) lost.push('the size of the page');
  if (args.has('M', 'max-age')) lost.push('the age of the page');
  return { method: 'HTTP', url: urlOf(args, isSecure, address), options, lost };
}

function urlOf(args: PluginArguments, isSecure: boolean, address: string): string {
  const path = args.value('u', 'url', 'uri') ?? '/';
  if (/^https?:\/\//i.test(path)) return path;
  const port = numberOf(args.value('p', 'port'));
  const host = hostPort(address, port === (isSecure ? 443 : 80) ? undefined : port);
  return `${isSecure ? 'https' : 'http'}://${host}${path.startsWith('/') ? path : `/${path}`}`;
}

function methodOf(args: PluginArguments): string | undefined {
  const method = args.value('j', 'method')?.toUpperCase() ?? (args.has('P', 'post') ? 'POST' : undefined);
  return method === 'GET' ? undefined : method;
}

function headersOf(
  args: PluginArguments,
  address: string,
  virtualHost: string,
): Readonly<Record<string, Json>> | undefined {
  const headers: Record<string, Json> = {};
  if (address !== virtualHost && args.has('H', 'hostname')) headers['Host'] = virtualHost;
  for (const line of args.values('k', 'header')) {
    const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.trim()] = value;
  }
  const type = args.value('T', 'content-type');
  if (type !== undefined) headers['Content-Type'] = type;
  const agent = args.value('A', 'useragent');
  if (agent !== undefined) headers['User-Agent'] = agent;
  return orAbsent(headers);
}

function loginOf(args: PluginArguments, lost: string[]): FoundOptions {
  const [, user, password] = /^([^:]*):(.*)$/s.exec(args.value('a', 'authorization') ?? '') ?? [];
  if (args.has('b', 'proxy-authorization')) lost.push('its sign-in at a proxy');
  return { User: user, Password: password };
}

/** `-e "HTTP/1.1 200,301"` names texts of the status line; numbers in them are statuses. */
function statusesOf(args: PluginArguments, onRedirect: string, lost: string[]): string[] | undefined {
  const expected = args.value('e', 'expect');
  if (expected === undefined)
    return onRedirect === 'critical' || onRedirect === 'warning' ? ['200-299'] : undefined;
  const statuses = expected.match(/\b[1-5]\d\d\b/g);
  if (statuses !== null) return [...new Set(statuses)];
  lost.push(`the status line ${JSON.stringify(expected)}`);
  return undefined;
}

function caseInsensitive(pattern: string | undefined): string | undefined {
  return pattern?.replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** The plugin verifies certificates only when its arguments say so, and so does the device. */
function tlsOf(args: PluginArguments, address: string, virtualHost: string): Readonly<Record<string, Json>> {
  const days = numberOf((args.value('C', 'certificate') ?? '').split(',')[0]);
  const tls: Record<string, Json> = {};
  if (!args.has('verify-cert', 'D') && !args.has('C', 'certificate')) tls['Verify'] = false;
  if (days !== undefined) tls['MinDaysLeft'] = days;
  if (address !== virtualHost) tls['ServerName'] = virtualHost;
  return tls;
}
