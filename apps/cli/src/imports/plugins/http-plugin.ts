import type { Json } from '@vantage/domain';
import type { FoundOptions, FoundTarget } from '../found.ts';
import { hostPort, numberOf } from '../values.ts';
import { milliseconds, type PluginArguments } from './arguments.ts';

/** check_http and check_curl: `-H` is the virtual host, `-I` the address that is asked. */
export function httpPlugin(given: PluginArguments, host: string): FoundTarget {
  const days = (given.value('C', 'certificate') ?? '').split(',')[0];
  const secure = given.has('S', 'ssl') || given.has('C', 'certificate');
  const port = numberOf(given.value('p', 'port'));
  const address = given.value('I', 'IP-address') ?? host;
  const path = given.value('u', 'url', 'uri') ?? '/';
  const standard = secure ? 443 : 80;
  const place = hostPort(address, port === standard ? undefined : port);
  const url = /^https?:\/\//i.test(path)
    ? path
    : `${secure ? 'https' : 'http'}://${place}${path.startsWith('/') ? path : `/${path}`}`;
  const lost: string[] = [];
  const follow = (given.value('f', 'onredirect') ?? 'ok').toLowerCase();
  const options: FoundOptions = {
    Method: methodOf(given),
    Headers: headersOf(given, address, host),
    Body: given.value('P', 'post'),
    ...loginOf(given, lost),
    MaxRedirects: ['follow', 'sticky', 'stickyport', 'curl'].includes(follow) ? undefined : 0,
    ExpectStatus: statusesOf(given, follow, lost),
    ExpectText: given.value('s', 'string'),
    ExpectRegex: given.value('r', 'regex', 'ereg') ?? insensitive(given.value('R', 'eregi')),
    SlowMs: milliseconds(given.value('w', 'warning')),
    MaxTimeMs: milliseconds(given.value('c', 'critical')),
    IPFamily: given.has('4') ? '4' : given.has('6') ? '6' : undefined,
    TLS: tlsOf(given, secure, numberOf(days), address, host),
  };
  if (given.has('d', 'header-string')) lost.push('the text expected in its headers');
  if (given.has('m', 'pagesize')) lost.push('the size of the page');
  if (given.has('M', 'max-age')) lost.push('the age of the page');
  return { method: 'HTTP', url, options, lost };
}

function methodOf(given: PluginArguments): string | undefined {
  const method = given.value('j', 'method')?.toUpperCase() ?? (given.has('P', 'post') ? 'POST' : undefined);
  return method === 'GET' ? undefined : method;
}

function headersOf(
  given: PluginArguments,
  address: string,
  host: string,
): { readonly [key: string]: Json } | undefined {
  const headers: Record<string, Json> = {};
  if (address !== host && given.has('H', 'hostname')) headers['Host'] = host;
  for (const line of given.values('k', 'header')) {
    const [, name, value] = /^([^:]+):\s*(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) headers[name.trim()] = value;
  }
  const type = given.value('T', 'content-type');
  if (type !== undefined) headers['Content-Type'] = type;
  const agent = given.value('A', 'useragent');
  if (agent !== undefined) headers['User-Agent'] = agent;
  return Object.keys(headers).length === 0 ? undefined : headers;
}

function loginOf(given: PluginArguments, lost: string[]): FoundOptions {
  const [, user, password] = /^([^:]*):(.*)$/s.exec(given.value('a', 'authorization') ?? '') ?? [];
  if (given.has('b', 'proxy-authorization')) lost.push('its sign-in at a proxy');
  return { User: user, Password: password };
}

/** `-e "HTTP/1.1 200,301"` names texts of the status line; numbers in them are statuses. */
function statusesOf(given: PluginArguments, follow: string, lost: string[]): string[] | undefined {
  const expected = given.value('e', 'expect');
  if (expected === undefined) return follow === 'critical' || follow === 'warning' ? ['200-299'] : undefined;
  const statuses = expected.match(/\b[1-5]\d\d\b/g);
  if (statuses !== null) return [...new Set(statuses)];
  lost.push(`the status line ${JSON.stringify(expected)}`);
  return undefined;
}

function insensitive(pattern: string | undefined): string | undefined {
  return pattern?.replaceAll(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
}

/** The plugin does not verify certificates unless it is told to, and neither does its device. */
function tlsOf(
  given: PluginArguments,
  secure: boolean,
  days: number | undefined,
  address: string,
  host: string,
): { readonly [key: string]: Json } | undefined {
  if (!secure) return undefined;
  const tls: Record<string, Json> = {};
  if (!given.has('verify-cert', 'D') && !given.has('C', 'certificate')) tls['Verify'] = false;
  if (days !== undefined) tls['MinDaysLeft'] = days;
  if (address !== host) tls['ServerName'] = host;
  return tls;
}
