import type { Json, Method } from '@vantage/domain';
import type { FoundOptions, FoundTarget } from '../found.ts';
import { hostPort, hostText, numberOf } from '../values.ts';
import { milliseconds, type PluginArguments, readArguments } from './arguments.ts';

/** The target of a plugin and its time limit. */
export interface PluginCheck {
  readonly target: FoundTarget;
  readonly timeoutSeconds: number | undefined;
}

type Reader = (given: PluginArguments, host: string) => FoundTarget;

/** The Monitoring Plugins that a Method can take the place of, by the name of their program. */
const plugins: Readonly<Record<string, { readonly flags?: readonly string[]; readonly read: Reader }>> = {
  check_ping: { flags: ['4', '6', 'L', 'v'], read: pingPlugin },
  check_icmp: { flags: ['4', '6', 'v'], read: pingPlugin },
  check_fping: { flags: ['4', '6', 'v'], read: pingPlugin },
  hostalive: { read: pingPlugin },
  'check-host-alive': { read: pingPlugin },
  check_http: {
    flags: [
      '4',
      '6',
      'N',
      'E',
      'v',
      'L',
      'l',
      'sni',
      'verify-cert',
      'D',
      'i',
      'no-body',
      'linespan',
      'regexi',
    ],
    read: httpPlugin,
  },
  check_curl: {
    flags: [
      '4',
      '6',
      'N',
      'E',
      'v',
      'L',
      'l',
      'sni',
      'verify-cert',
      'D',
      'i',
      'no-body',
      'linespan',
      'regexi',
    ],
    read: httpPlugin,
  },
  check_tcp: { flags: ['4', '6', 'S', 'ssl', 'v', 'j', 'A', 'E'], read: tcpPlugin },
  check_ssh: { flags: ['4', '6', 'v'], read: sshPlugin },
  check_smtp: {
    flags: ['4', '6', 'S', 'starttls', 'ssl', 'tls', 'v', 'q', 'r'],
    read: mailPlugin('SMTP', 'plain'),
  },
  check_ssmtp: { flags: ['4', '6', 'v'], read: mailPlugin('SMTP', 'Implicit', 465) },
  check_pop: { flags: ['4', '6', 'S', 'v'], read: mailPlugin('POP3', 'plain') },
  check_spop: { flags: ['4', '6', 'v'], read: mailPlugin('POP3', 'Implicit', 995) },
  check_imap: { flags: ['4', '6', 'S', 'v'], read: mailPlugin('IMAP4', 'plain') },
  check_simap: { flags: ['4', '6', 'v'], read: mailPlugin('IMAP4', 'Implicit', 993) },
  check_ftp: { flags: ['4', '6', 'S', 'v'], read: mailPlugin('FTP', 'plain') },
  check_nntp: { flags: ['4', '6', 'S', 'v'], read: mailPlugin('NNTP', 'plain') },
  check_nntps: { flags: ['4', '6', 'v'], read: mailPlugin('NNTP', 'Implicit', 563) },
  check_dns: { flags: ['4', '6', 'v', 'A', 'n', 'L'], read: dnsPlugin },
  check_dig: { flags: ['4', '6', 'v'], read: digPlugin },
  check_mysql: { flags: ['S', 'n', 'l', 'v'], read: mysqlPlugin },
  check_mysql_query: { read: mysqlPlugin },
};

/** Maps a plugin with its arguments; `host` is the address of the host where the arguments name none. */
export function pluginCheck(program: string, words: readonly string[], host: string): PluginCheck {
  const name = program.replace(/^.*\//, '').replace(/\.(pl|py|sh|exe)$/, '');
  const plugin = Object.hasOwn(plugins, name) ? plugins[name] : undefined;
  if (plugin === undefined)
    return {
      target: `is checked by ${name === '' ? 'no plugin' : name}, for which there is no Method; a Script may take its place`,
      timeoutSeconds: undefined,
    };
  const given = readArguments(words, plugin.flags ?? []);
  const address = given.value('H', 'hostname') ?? host;
  const target = plugin.read(given, address);
  return { target, timeoutSeconds: numberOf(given.value('t', 'timeout')) };
}

function family(given: PluginArguments): string | undefined {
  if (given.has('4')) return '4';
  return given.has('6') ? '6' : undefined;
}

/** `-c 500.0,60%`: round trip in milliseconds and loss in percent. */
function pingPlugin(given: PluginArguments, host: string): FoundTarget {
  const [, rtt, loss] = /^([\d.]+)(?:ms)?,([\d.]+)%?$/.exec(given.value('c', 'critical') ?? '') ?? [];
  const count = numberOf(given.value('n', 'p', 'packets'));
  const limit = numberOf(loss);
  const options: FoundOptions = {
    Count: count,
    MaxRTTMs: numberOf(rtt),
    // 100 % is what a check without a limit means: one answer is enough.
    MaxLossPercent: limit === undefined || limit >= 100 ? undefined : limit,
    IPFamily: family(given),
  };
  return {
    method: 'PING',
    url: hostText(host),
    options,
    lost: given.has('w', 'warning') ? ['its warning limits'] : [],
  };
}

function tcpPlugin(given: PluginArguments, host: string): FoundTarget {
  const port = numberOf(given.value('p', 'port'));
  if (port === undefined) return 'has no port (-p)';
  const send = given.value('s', 'send');
  const [expect, ...others] = given.values('e', 'expect');
  const escapes = (text: string) =>
    given.has('E') ? text.replaceAll('\\r', '\r').replaceAll('\\n', '\n').replaceAll('\\t', '\t') : text;
  const step: Record<string, Json> = {};
  if (send !== undefined) step['Send'] = escapes(send);
  if (expect !== undefined && expect !== '') step['Expect'] = escapes(expect);
  const options: FoundOptions = {
    Steps: Object.keys(step).length === 0 ? undefined : [step],
    SlowMs: milliseconds(given.value('w', 'warning')),
    IPFamily: family(given),
  };
  return {
    method: 'TCP',
    url: `${given.has('S', 'ssl') ? 'tls' : 'tcp'}://${hostPort(host, port)}`,
    options,
    lost: others.map((each) => `the further text expected ${JSON.stringify(each)}`),
  };
}

function sshPlugin(given: PluginArguments, host: string): FoundTarget {
  const place = hostPort(given.free[0] ?? host, numberOf(given.value('p', 'port')));
  const options: FoundOptions = { ExpectBanner: given.value('r', 'remote-version'), IPFamily: family(given) };
  return { method: 'SSH', url: place, options };
}

function mailPlugin(method: Method, mode: 'plain' | 'Implicit', port?: number): Reader {
  return (given, host) => {
    const start = given.has('S', 'starttls');
    const days = numberOf((given.value('D', 'certificate') ?? '').split(',')[0]);
    const tls: Record<string, Json> = {};
    if (mode === 'Implicit') tls['Mode'] = 'Implicit';
    // Of these plugins only check_smtp means STARTTLS by -S; the others connect under TLS.
    else if (start) tls['Mode'] = method === 'SMTP' ? 'StartTLS' : 'Implicit';
    if (days !== undefined) tls['MinDaysLeft'] = days;
    const options: FoundOptions = {
      TLS: Object.keys(tls).length === 0 ? undefined : tls,
      ExpectBanner: given.value('e', 'expect'),
      SlowMs: milliseconds(given.value('w', 'warning')),
      IPFamily: family(given),
    };
    const lost = given.has('C', 's', 'U', 'P') ? ['its dialogue after the greeting'] : [];
    return { method, url: hostPort(host, numberOf(given.value('p', 'port')) ?? port), options, lost };
  };
}

/** `-H` is the name to look up here. */
function dnsPlugin(given: PluginArguments, host: string): FoundTarget {
  const expected = given
    .values('a', 'expected-address')
    .flatMap((each) => each.split(','))
    .filter((each) => each !== '');
  const options: FoundOptions = {
    Server: given.value('s', 'server'),
    Type: (given.value('q', 'querytype') ?? 'A').toUpperCase(),
    Expect: expected.length === 0 ? undefined : expected,
  };
  return { method: 'DNS', url: host, options };
}

function digPlugin(given: PluginArguments, host: string): FoundTarget {
  const name = given.value('l', 'query_address');
  if (name === undefined) return 'has no name to look up (-l)';
  const expected = given.value('a', 'expected_address');
  const options: FoundOptions = {
    Server: hostPort(host, numberOf(given.value('p', 'port'))),
    Type: (given.value('T', 'record_type') ?? 'A').toUpperCase(),
    Expect: expected === undefined ? undefined : [expected],
  };
  return { method: 'DNS', url: name, options };
}

function mysqlPlugin(given: PluginArguments, host: string): FoundTarget {
  const replica = given.has('S', 'check-slave');
  const options: FoundOptions = {
    User: given.value('u', 'username'),
    Password: given.value('p', 'password'),
    Database: given.value('d', 'database'),
    Query: given.value('q', 'query'),
  };
  return {
    method: 'MySQL',
    url: hostPort(host, numberOf(given.value('P', 'port'))),
    options,
    lost: [
      ...(replica ? ['the state of its replication'] : []),
      ...(given.has('q') && given.has('c', 'w') ? ['the limits for its result'] : []),
    ],
  };
}

/** check_http and check_curl: `-H` is the virtual host, `-I` the address that is asked. */
function httpPlugin(given: PluginArguments, host: string): FoundTarget {
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
