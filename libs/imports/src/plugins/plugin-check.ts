import type { TargetOrReason } from '../found-check.ts';
import { numberOf } from '../values/unknown-values.ts';
import { mqttPlugin, pgsqlPlugin, redisPlugin } from './data-plugins.ts';
import { httpPlugin } from './http-plugin.ts';
import { mailPlugin } from './mail-plugin.ts';
import { digPlugin, dnsPlugin, mysqlPlugin, pingPlugin, sshPlugin, tcpPlugin } from './network-plugins.ts';
import { type PluginArguments, readArguments } from './plugin-arguments.ts';
import {
  domainPlugin,
  ldapPlugin,
  ntpPlugin,
  radiusPlugin,
  sipPlugin,
  udpPlugin,
} from './service-plugins.ts';
import { snmpPlugin } from './snmp-plugin.ts';

/** The target of a plugin and its time limit. */
export interface PluginCheck {
  readonly target: TargetOrReason;
  readonly timeoutSeconds: number | undefined;
}

interface Plugin {
  /** Arguments without a value. */
  readonly flags?: readonly string[];
  readonly targetOf: (args: PluginArguments, host: string) => TargetOrReason;
}

const httpFlags = [
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
];

/** The Monitoring Plugins that a Method can replace, by the name of their program. */
const plugins: Readonly<Record<string, Plugin>> = {
  check_ping: { flags: ['4', '6', 'L', 'v'], targetOf: pingPlugin },
  check_icmp: { flags: ['4', '6', 'v'], targetOf: pingPlugin },
  check_fping: { flags: ['4', '6', 'v'], targetOf: pingPlugin },
  hostalive: { targetOf: pingPlugin },
  'check-host-alive': { targetOf: pingPlugin },
  check_http: { flags: httpFlags, targetOf: httpPlugin },
  check_curl: { flags: httpFlags, targetOf: httpPlugin },
  check_tcp: { flags: ['4', '6', 'S', 'ssl', 'v', 'j', 'A', 'E'], targetOf: tcpPlugin },
  check_ssh: { flags: ['4', '6', 'v'], targetOf: sshPlugin },
  check_smtp: {
    flags: ['4', '6', 'S', 'starttls', 'ssl', 'tls', 'v', 'q', 'r'],
    targetOf: mailPlugin('SMTP', 'plain'),
  },
  check_ssmtp: { flags: ['4', '6', 'v'], targetOf: mailPlugin('SMTP', 'Implicit', 465) },
  check_pop: { flags: ['4', '6', 'S', 'v'], targetOf: mailPlugin('POP3', 'plain') },
  check_spop: { flags: ['4', '6', 'v'], targetOf: mailPlugin('POP3', 'Implicit', 995) },
  check_imap: { flags: ['4', '6', 'S', 'v'], targetOf: mailPlugin('IMAP4', 'plain') },
  check_simap: { flags: ['4', '6', 'v'], targetOf: mailPlugin('IMAP4', 'Implicit', 993) },
  check_ftp: { flags: ['4', '6', 'S', 'v'], targetOf: mailPlugin('FTP', 'plain') },
  check_nntp: { flags: ['4', '6', 'S', 'v'], targetOf: mailPlugin('NNTP', 'plain') },
  check_nntps: { flags: ['4', '6', 'v'], targetOf: mailPlugin('NNTP', 'Implicit', 563) },
  check_dns: { flags: ['4', '6', 'v', 'A', 'n', 'L'], targetOf: dnsPlugin },
  check_dig: { flags: ['4', '6', 'v'], targetOf: digPlugin },
  check_mysql: { flags: ['S', 'n', 'l', 'v'], targetOf: mysqlPlugin },
  check_mysql_query: { targetOf: mysqlPlugin },
  check_ldap: {
    flags: ['4', '6', 'v', 'T', 'S', '2', '3', 'starttls', 'ssl', 'ver2', 'ver3'],
    targetOf: ldapPlugin('plain'),
  },
  check_ldaps: { flags: ['4', '6', 'v', '2', '3', 'ver2', 'ver3'], targetOf: ldapPlugin('Implicit') },
  check_ntp_time: { flags: ['4', '6', 'v', 'q'], targetOf: ntpPlugin },
  check_ntp_peer: { flags: ['4', '6', 'v', 'q'], targetOf: ntpPlugin },
  check_ntp: { flags: ['4', '6', 'v', 'q'], targetOf: ntpPlugin },
  check_radius: { flags: ['v'], targetOf: radiusPlugin },
  check_sip: { flags: ['v'], targetOf: sipPlugin },
  check_domain: { flags: ['v', 'P'], targetOf: domainPlugin },
  check_whois: { flags: ['v'], targetOf: domainPlugin },
  check_udp: { flags: ['4', '6', 'v', 'E'], targetOf: udpPlugin },
  check_pgsql: { flags: ['4', '6', 'v'], targetOf: pgsqlPlugin },
  check_mqtt: { flags: ['r', 'readonly', 'i', 'insecure'], targetOf: mqttPlugin },
  check_redis: { flags: ['S', 'ssl', 'tls', 'v', 'A', 'f', 'R', 'T'], targetOf: redisPlugin },
  check_snmp: { flags: ['4', '6', 'v', 'n', 'O'], targetOf: snmpPlugin },
};

/** Maps a plugin with its arguments. `host` is the address of the host, unless the arguments name one. */
export function pluginCheck(program: string, words: readonly string[], host: string): PluginCheck {
  const name = program.replace(/^.*\//, '').replace(/\.(pl|py|sh|exe)$/, '');
  const plugin = Object.hasOwn(plugins, name) ? plugins[name] : undefined;
  if (plugin === undefined)
    return {
      target: `is checked by ${name === '' ? 'no plugin' : name}, for which there is no Method; a Script may replace it`,
      timeoutSeconds: undefined,
    };
  const args = readArguments(words, plugin.flags ?? []);
  return {
    target: plugin.targetOf(args, args.value('H', 'hostname') ?? host),
    timeoutSeconds: numberOf(args.value('t', 'timeout')),
  };
}
