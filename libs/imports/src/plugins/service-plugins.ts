import type { TargetOrReason } from '../found-check.ts';
import { hostPort } from '../values/host-port.ts';
import { numberOf } from '../values/unknown-values.ts';
import { ipFamily, milliseconds, type PluginArguments } from './plugin-arguments.ts';

/** check_udp needs `-s` and `-e`: it demands an answer. */
export function udpPlugin(args: PluginArguments, host: string): TargetOrReason {
  const port = numberOf(args.value('p', 'port'));
  if (port === undefined) return 'has no port (-p)';
  const [expected, ...others] = args.values('e', 'expect').filter((text) => text !== '');
  const withControlCharacters = (text: string | undefined) =>
    args.has('E') ? text?.replaceAll('\\r', '\r').replaceAll('\\n', '\n').replaceAll('\\t', '\t') : text;
  return {
    method: 'UDP',
    url: hostPort(host, port),
    options: {
      Send: withControlCharacters(args.value('s', 'send')),
      ExpectText: withControlCharacters(expected),
      SlowMs: milliseconds(args.value('w', 'warning')),
      IPFamily: ipFamily(args),
    },
    lost: others.map((text) => `the further text expected ${JSON.stringify(text)}`),
  };
}

/** `-c 0.5` limits the offset in seconds; check_ntp_peer adds the stratum as `-C`. */
export function ntpPlugin(args: PluginArguments, host: string): TargetOrReason {
  const seconds = numberOf(args.value('c', 'critical')) ?? 120;
  const stratum = numberOf(args.value('C', 'scrit'));
  return {
    method: 'NTP',
    url: hostPort(host, numberOf(args.value('p', 'port'))),
    options: {
      MaxOffsetMs: Math.max(0.001, seconds * 1000),
      MaxStratum: stratum === undefined || stratum < 1 || stratum > 15 ? undefined : stratum,
      IPFamily: ipFamily(args),
    },
    lost: [
      ...(args.has('w', 'warning', 'W', 'swarn') ? ['its warning limits'] : []),
      ...(args.has('j', 'k', 'jwarn', 'jcrit') ? ['its limits of the jitter'] : []),
      ...(args.has('o', 'time-offset') ? ['its expected offset'] : []),
    ],
  };
}

/** check_ldap searches for `-a` at `-b`, and binds as `-D` with `-P`. `-C` limits the number of entries. */
export function ldapPlugin(mode: 'plain' | 'Implicit') {
  return (args: PluginArguments, host: string): TargetOrReason => {
    const port = numberOf(args.value('p', 'port'));
    const isImplicit = mode === 'Implicit' || args.has('S', 'ssl');
    const isStartTls = !isImplicit && args.has('T', 'starttls');
    return {
      method: 'LDAP',
      url: `${isImplicit ? 'ldaps' : 'ldap'}://${hostPort(host, port)}`,
      options: {
        User: args.value('D', 'bind'),
        Password: args.value('P', 'pass'),
        Base: args.value('b', 'base'),
        Filter: args.value('a', 'attr'),
        TLS: isStartTls ? { Mode: 'StartTLS' } : undefined,
        SlowMs: milliseconds(args.value('w', 'warn')),
        IPFamily: ipFamily(args),
      },
      lost: [
        ...(args.has('c', 'crit') ? ['its critical time'] : []),
        ...(args.has('W', 'C', 'warn-entries', 'crit-entries') ? ['its limits for the entries'] : []),
      ],
    };
  };
}

/** check_radius has its shared secret in the file of `-F`, which stays on its host. */
export function radiusPlugin(args: PluginArguments, host: string): TargetOrReason {
  return {
    method: 'RADIUS',
    url: hostPort(host, numberOf(args.value('P', 'port'))),
    options: {
      User: args.value('u', 'username'),
      Password: args.value('p', 'password'),
      NASIdentifier: args.value('n', 'nas-id'),
      RequireMessageAuthenticator: false,
    },
    lost: [
      'its shared secret, which is in a file of its host (set Options.Secret)',
      ...(args.has('N', 'nas-ip-address') ? ['its NAS-IP-Address'] : []),
      ...(args.has('e', 'expect') ? ['its expected reply message'] : []),
    ],
  };
}

/** check_sip asks the address of `-u`, such as sip:100@example.org, at the host of `-H`. */
export function sipPlugin(args: PluginArguments, host: string): TargetOrReason {
  const uri = args.value('u', 'uri') ?? '';
  const [, user] = /^sips?:([^@\s]+)@/i.exec(uri) ?? [];
  return {
    method: 'SIP',
    url: hostPort(host, numberOf(args.value('p', 'port'))),
    options: {
      User: user,
      SlowMs: milliseconds(args.value('w', 'warning')),
    },
    lost: args.has('c', 'critical') ? ['its critical time'] : [],
  };
}

/** check_domain and check_whois have the domain in `-d` or `-D`, and its critical days in `-c`. */
export function domainPlugin(args: PluginArguments, host: string): TargetOrReason {
  const name = args.value('d', 'D', 'domain') ?? args.free[0] ?? host;
  if (!/^[^\s:/]+\.[^\s:/]*[a-z][^\s:/]*$/i.test(name)) return 'has no domain (-d)';
  return {
    method: 'Domain',
    url: `domain:${name}`,
    options: { MinDaysLeft: numberOf(args.value('c', 'critical')) },
    lost: args.has('w', 'warning') ? ['its warning days'] : [],
  };
}
