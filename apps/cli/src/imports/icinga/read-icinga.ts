import { collector, type FoundCheck, type Reading } from '../found.ts';
import { mostThings, parseJson, readText, unreadable } from '../input.ts';
import { pluginCheck } from '../plugins/plugin-target.ts';
import { listOf, numberOf, recordOf, textOf, truthOf } from '../values.ts';

const accepts =
  "answers of Icinga 2's API as JSON: /v1/objects/hosts, /v1/objects/services, /v1/objects/dependencies";

type Fields = Readonly<Record<string, unknown>>;

/** Reads objects of Icinga 2, from one file or several. */
export function readIcinga(files: readonly string[]): Reading {
  const objects = files.flatMap((file) => {
    const results = recordOf(parseJson(readText(file), file, accepts))?.['results'];
    if (!Array.isArray(results)) throw unreadable(`${file} has no list results; accepted is ${accepts}`);
    return results.map((each: unknown, at) => ({
      at: `results[${at}]`,
      type: textOf(recordOf(each)?.['type']),
      attrs: recordOf(recordOf(each)?.['attrs']) ?? {},
    }));
  });
  if (objects.length > mostThings) throw unreadable(`there are more than ${mostThings} objects; split them`);
  const hosts = new Map(
    objects.flatMap(({ type, attrs }) =>
      type === 'Host' ? [[textOf(attrs['name']) ?? '', attrs] as const] : [],
    ),
  );
  const masters = new Map<string, string>();
  for (const { type, attrs } of objects) {
    const child = textOf(attrs['child_host_name']);
    const parent = textOf(attrs['parent_host_name']);
    const whole = textOf(attrs['child_service_name']) === undefined;
    if (type === 'Dependency' && whole && child !== undefined && parent !== undefined && !masters.has(child))
      masters.set(child, parent);
  }
  const into = collector();
  for (const { at, type, attrs } of objects) {
    if (type === 'Host')
      add(
        {
          at,
          attrs,
          host: attrs,
          name: textOf(attrs['name']) ?? '',
          master: masters.get(textOf(attrs['name']) ?? ''),
        },
        into,
      );
    else if (type === 'Service') addService(at, attrs, hosts, into);
  }
  const others = Map.groupBy(
    objects.filter(({ type }) => type !== 'Host' && type !== 'Service' && type !== 'Dependency'),
    ({ type }) => type,
  );
  return {
    ...into,
    things: 'hosts and services',
    ignored: [...others].map(([type, list]) => `not carried over: ${list.length} ${type} objects`),
  };
}

function addService(
  at: string,
  attrs: Fields,
  hosts: ReadonlyMap<string, Fields>,
  into: ReturnType<typeof collector>,
): void {
  const hostName = textOf(attrs['host_name']) ?? '';
  const name = `${hostName}!${textOf(attrs['name']) ?? ''}`;
  const host = hosts.get(hostName);
  if (host === undefined)
    return void into.refused.push({
      at,
      name,
      text: `is a service of the host ${JSON.stringify(hostName)}, which is not in the files`,
    });
  add({ at, attrs, host, name, master: hostName }, into);
}

interface One {
  readonly at: string;
  readonly attrs: Fields;
  readonly host: Fields;
  readonly name: string;
  readonly master: string | undefined;
}

function add({ at, attrs, host, name, master }: One, into: ReturnType<typeof collector>): void {
  const vars = { ...recordOf(host['vars']), ...recordOf(attrs['vars']) };
  const address = textOf(host['address']) ?? textOf(host['address6']) ?? textOf(host['name']) ?? '';
  const [program, words] = commandWords(textOf(attrs['check_command']) ?? '', vars, textOf(host['address6']));
  // The library gives check_http the host's address beside the virtual host.
  const asked = program === 'check_http' && !words.includes('-I') ? [...words, '-I', address] : words;
  const { target, timeoutSeconds } = pluginCheck(program, asked, address);
  if (typeof target === 'string') return void into.refused.push({ at, name, text: target });
  const shown = textOf(attrs['display_name']);
  const groups = [...listOf(host['groups']), ...(attrs === host ? [] : listOf(attrs['groups']))];
  const check: FoundCheck = {
    ...target,
    at,
    name: attrs === host ? (shown ?? name) : `${textOf(host['name'])} ${shown ?? textOf(attrs['name'])}`,
    id: name,
    intervalSeconds: numberOf(attrs['check_interval']),
    retryDelaySeconds: numberOf(attrs['retry_interval']),
    attempts: numberOf(attrs['max_check_attempts']),
    timeoutSeconds: numberOf(attrs['check_timeout']) ?? timeoutSeconds,
    master,
    tags: [...new Set(groups.flatMap((group) => textOf(group) ?? []))],
    enabled: truthOf(attrs['enable_active_checks']) ?? true,
  };
  into.checks.push(check);
}

/** A check command of Icinga's template library: its plugin, and the argument of each of its variables. */
interface Command {
  readonly plugin: string;
  /** Before each variable's name: `http_`. */
  readonly prefix: string;
  readonly values: Readonly<Record<string, string>>;
  /** Variables that are true or false. */
  readonly flags?: Readonly<Record<string, string>>;
}

const mail = { port: '-p', expect: '-e', certificate_age: '-D', address: '-H' };
const ping: Command = {
  plugin: 'check_ping',
  prefix: 'ping_',
  values: { address: '-H', packets: '-p', timeout: '-t' },
};

const commands: Readonly<Record<string, Command>> = {
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
};

/** The plugin of a check command and its arguments, by the variables of service and host. */
function commandWords(
  name: string,
  vars: Readonly<Record<string, unknown>>,
  address6: string | undefined,
): readonly [program: string, words: readonly string[]] {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return [name, []];
  const words: string[] = [];
  for (const [variable, argument] of Object.entries(command.values))
    for (const text of textsOf(vars[`${command.prefix}${variable}`])) words.push(argument, text);
  for (const [variable, argument] of Object.entries(command.flags ?? {}))
    if (truthOf(vars[`${command.prefix}${variable}`]) === true) words.push(argument);
  if (name === 'ssl') words.push('-S');
  if (name.endsWith('6') && address6 !== undefined && !words.includes('-H')) words.push('-6', '-H', address6);
  return [command.plugin, words];
}

function textsOf(value: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((each) => textOf(each) ?? []);
}
