import { textsOf, truthOf, type UnknownRecord } from '../values/unknown-values.ts';

/** A check command of Icinga's template library: its plugin, and the argument for each of its variables. */
interface IcingaCommand {
  readonly plugin: string;
  /** The prefix of its variables: `http_`. */
  readonly prefix: string;
  readonly values: Readonly<Record<string, string>>;
  /** Variables that are true or false. */
  readonly flags?: Readonly<Record<string, string>>;
}

const mail = { port: '-p', expect: '-e', certificate_age: '-D', address: '-H' };
const ping: IcingaCommand = {
  plugin: 'check_ping',
  prefix: 'ping_',
  values: { address: '-H', packets: '-p', timeout: '-t' },
};

const commands: Readonly<Record<string, IcingaCommand>> = {
  hostalive: ping,
  hostalive4: ping,
  hostalive6: ping,
  ping,
  ping4: ping,
  ping6: ping,
  icmp: { plugin: 'check_icmp', prefix: 'icmp_', values: { target: '-H', packets: '-n' } },
  fping4: { plugin: 'check_fping', prefix: 'fping_', values: { address: '-H', number: '-n' } },
  http: {
    plugin: 'check_http',
    prefix: 'http_',
    values: {
      vhost: '-H',
      address: '-I',
      uri: '-u',
      port: '-p',
      string: '-s',
      expect: '-e',
      expect_body_regex: '-r',
      expect_body_eregi: '-R',
      auth_pair: '-a',
      post: '-P',
      method: '-j',
      onredirect: '-f',
      certificate: '-C',
      content_type: '-T',
      useragent: '-A',
      header: '-k',
      timeout: '-t',
      warn_time: '-w',
      critical_time: '-c',
      headerstring: '-d',
    },
    flags: { ssl: '-S', ssl_force_tlsv1_2: '-S', ipv4: '-4', ipv6: '-6', verify_cert: '-D' },
  },
  tcp: {
    plugin: 'check_tcp',
    prefix: 'tcp_',
    values: { address: '-H', port: '-p', send: '-s', expect: '-e', timeout: '-t', wtime: '-w' },
    flags: { ssl: '-S', escape: '-E' },
  },
  ssl: { plugin: 'check_tcp', prefix: 'ssl_', values: { address: '-H', port: '-p', timeout: '-t' } },
  ssh: { plugin: 'check_ssh', prefix: 'ssh_', values: { address: '-H', port: '-p', timeout: '-t' } },
  smtp: {
    plugin: 'check_smtp',
    prefix: 'smtp_',
    values: { ...mail, timeout: '-t' },
    flags: { starttls: '-S' },
  },
  ssmtp: { plugin: 'check_ssmtp', prefix: 'ssmtp_', values: mail },
  imap: { plugin: 'check_imap', prefix: 'imap_', values: mail },
  simap: { plugin: 'check_simap', prefix: 'simap_', values: mail },
  pop: { plugin: 'check_pop', prefix: 'pop_', values: mail },
  spop: { plugin: 'check_spop', prefix: 'spop_', values: mail },
  ftp: { plugin: 'check_ftp', prefix: 'ftp_', values: mail, flags: { ssl: '-S' } },
  dns: {
    plugin: 'check_dns',
    prefix: 'dns_',
    values: {
      lookup: '-H',
      server: '-s',
      query_type: '-q',
      expected_answers: '-a',
      expected_answer: '-a',
      timeout: '-t',
    },
  },
  dig: {
    plugin: 'check_dig',
    prefix: 'dig_',
    values: { lookup: '-l', server: '-H', record_type: '-T', expected_address: '-a', port: '-p' },
  },
  mysql: {
    plugin: 'check_mysql',
    prefix: 'mysql_',
    values: { hostname: '-H', port: '-P', username: '-u', password: '-p', database: '-d' },
    flags: { check_slave: '-S' },
  },
  pgsql: {
    plugin: 'check_pgsql',
    prefix: 'pgsql_',
    values: {
      hostname: '-H',
      port: '-P',
      username: '-l',
      password: '-p',
      database: '-d',
      query: '-q',
      query_warning: '-W',
      query_critical: '-C',
      warning: '-w',
      critical: '-c',
      timeout: '-t',
    },
  },
  udp: {
    plugin: 'check_udp',
    prefix: 'udp_',
    values: { address: '-H', port: '-p', send: '-s', expect: '-e', timeout: '-t' },
    flags: { ipv4: '-4', ipv6: '-6' },
  },
  ntp_time: {
    plugin: 'check_ntp_time',
    prefix: 'ntp_',
    values: { address: '-H', port: '-p', critical: '-c', warning: '-w', timeoffset: '-o', timeout: '-t' },
    flags: { ipv4: '-4', ipv6: '-6' },
  },
  ntp_peer: {
    plugin: 'check_ntp_peer',
    prefix: 'ntp_',
    values: { address: '-H', port: '-p', critical: '-c', warning: '-w', cstratum: '-C', timeout: '-t' },
    flags: { ipv4: '-4', ipv6: '-6' },
  },
  ldap: {
    plugin: 'check_ldap',
    prefix: 'ldap_',
    values: {
      address: '-H',
      port: '-p',
      attr: '-a',
      base: '-b',
      bind: '-D',
      pass: '-P',
      warning: '-w',
      critical: '-c',
      timeout: '-t',
    },
    flags: { starttls: '-T', ssl: '-S', ipv4: '-4', ipv6: '-6' },
  },
  radius: {
    plugin: 'check_radius',
    prefix: 'radius_',
    values: {
      address: '-H',
      port: '-P',
      username: '-u',
      password: '-p',
      nas_id: '-n',
      expect: '-e',
      timeout: '-t',
    },
  },
};

/** The plugin of a check command and its arguments, from the variables of host and service. */
export function icingaPlugin(
  name: string,
  vars: UnknownRecord,
  address6: string | undefined,
): readonly [program: string, words: readonly string[]] {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return [name, []];
  const words: string[] = [];
  for (const [variable, argument] of Object.entries(command.values))
    for (const text of valuesOf(vars[`${command.prefix}${variable}`])) words.push(argument, text);
  for (const [variable, argument] of Object.entries(command.flags ?? {}))
    if (truthOf(vars[`${command.prefix}${variable}`]) === true) words.push(argument);
  if (name === 'ssl') words.push('-S');
  if (name.endsWith('6') && address6 !== undefined && !words.includes('-H')) words.push('-6', '-H', address6);
  return [command.plugin, words];
}

function valuesOf(value: unknown): readonly string[] {
  return textsOf(Array.isArray(value) ? value : [value]);
}
