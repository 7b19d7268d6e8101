import { collector, type FoundCheck, type FoundOptions, type FoundTarget, type Reading } from '../found.ts';
import { mostThings, parseYaml, readText, unreadable } from '../input.ts';
import { hostPort, hostText, listOf, numberOf, recordOf, spanSeconds, textOf } from '../values.ts';

const accepts =
  'an export of hosts by Zabbix as YAML or JSON (zabbix_export with hosts); choose YAML for an export as XML';

type Fields = Readonly<Record<string, unknown>>;
type Into = ReturnType<typeof collector>;

/**
 * Reads an export of Zabbix: simple checks and web scenarios of hosts, also those of templates that the export holds.
 */
export function readZabbix(file: string): Reading {
  const text = readText(file);
  if (/^\s*</.test(text)) throw unreadable(`${file} is XML; accepted is ${accepts}`);
  const yaml = parseYaml(text, file, accepts);
  const root = recordOf(recordOf(yaml.value)?.['zabbix_export']);
  if (root === undefined || !Array.isArray(root['hosts']))
    throw unreadable(`${file} has no zabbix_export.hosts; accepted is ${accepts}`);
  const templates = new Map<string, Fields>(
    listOf(root['templates']).map((each) => [
      textOf(recordOf(each)?.['template']) ?? '',
      recordOf(each) ?? {},
    ]),
  );
  const into = collector();
  for (const [at, each] of root['hosts'].entries()) {
    const line = yaml.at(['zabbix_export', 'hosts', at]);
    readHost(recordOf(each) ?? {}, line === '' ? `hosts[${at}]` : `${line}, hosts[${at}]`, templates, into);
    if (into.checks.length + into.refused.length > mostThings)
      throw unreadable(`${file} has more than ${mostThings} items; split it`);
  }
  const others = ['triggers', 'graphs', 'media_types', 'maps'].filter((part) => root[part] !== undefined);
  return {
    ...into,
    things: 'items and web scenarios',
    ignored: [...into.ignored, ...others.map((part) => `not carried over: ${part}`)],
  };
}

/** A host, and what its checks share. */
interface Host {
  readonly fields: Fields;
  readonly name: string;
  readonly shown: string;
  readonly address: string | undefined;
  readonly tags: readonly string[];
  readonly macros: ReadonlyMap<string, string>;
}

function readHost(fields: Fields, at: string, templates: ReadonlyMap<string, Fields>, into: Into): void {
  const name = textOf(fields['host']) ?? '';
  const face = listOf(fields['interfaces']).map((each) => recordOf(each) ?? {})[0] ?? {};
  const address = ['NO', '0'].includes(textOf(face['useip']) ?? '')
    ? textOf(face['dns'])
    : (textOf(face['ip']) ?? textOf(face['dns']));
  const linked = listOf(fields['templates']).flatMap((each) => textOf(recordOf(each)?.['name']) ?? []);
  const found = linked.map((each) => templates.get(each)).filter((each) => each !== undefined);
  const sources: readonly Fields[] = [fields, ...found];
  const missing = linked.filter((each) => !templates.has(each));
  if (missing.length > 0)
    into.ignored.push(
      `the templates ${missing.join(', ')} of the host ${JSON.stringify(name)} are not in the file (export them, too)`,
    );
  const macros = new Map(
    sources
      .toReversed()
      .flatMap((source) =>
        listOf(source['macros']).map(
          (each) =>
            [textOf(recordOf(each)?.['macro']) ?? '', textOf(recordOf(each)?.['value']) ?? ''] as const,
        ),
      ),
  );
  const groups = listOf(fields['groups']).flatMap((each) => textOf(recordOf(each)?.['name']) ?? []);
  const host: Host = { fields, name, shown: textOf(fields['name']) ?? name, address, tags: groups, macros };
  const before = into.checks.length + into.refused.length;
  for (const source of sources) {
    for (const item of listOf(source['items'])) addItem(host, recordOf(item) ?? {}, at, into);
    for (const scenario of listOf(source['httptests'])) addScenario(host, recordOf(scenario) ?? {}, at, into);
  }
  if (into.checks.length + into.refused.length === before)
    into.refused.push({
      at,
      name: host.shown,
      text: 'is a host without items and web scenarios in the file',
    });
}

function fill(host: Host, text: string): string {
  return text
    .replaceAll(/\{HOST\.(?:CONN|IP|DNS)\d?\}/g, host.address ?? '')
    .replaceAll(/\{HOST\.HOST\d?\}/g, host.name)
    .replaceAll(/\{\$[A-Z0-9_.]+(?::[^}]*)?\}/g, (macro) => host.macros.get(macro) ?? macro);
}

function addItem(host: Host, item: Fields, at: string, into: Into): void {
  const key = fill(host, textOf(item['key']) ?? '');
  const name = `${host.shown}: ${textOf(item['name']) ?? key}`;
  const type = textOf(item['type']) ?? 'ZABBIX_PASSIVE';
  const target =
    type === 'SIMPLE' || type === '3'
      ? simpleTarget(key, host)
      : `is an item of the type ${type} (${key}); no Method reads it`;
  add(host, item, { at, name, id: `${host.name}/${key}`, target }, into);
}

function add(
  host: Host,
  source: Fields,
  one: { at: string; name: string; id: string; target: FoundTarget },
  into: Into,
): void {
  const { target, ...rest } = one;
  if (typeof target === 'string')
    return void into.refused.push({ at: rest.at, name: rest.name, text: target });
  const check: FoundCheck = {
    ...target,
    ...rest,
    intervalSeconds: spanSeconds(fill(host, textOf(source['delay']) ?? '1m').split(';')[0]),
    attempts: numberOf(source['attempts']),
    tags: host.tags,
    enabled:
      !['DISABLED', '1'].includes(textOf(host.fields['status']) ?? '') &&
      !['DISABLED', '1'].includes(textOf(source['status']) ?? ''),
  };
  into.checks.push(check);
}

/** `icmpping[target,packets,interval,size,timeout]`, `net.tcp.service[service,ip,port]` and their kin. */
function simpleTarget(key: string, host: Host): FoundTarget {
  const [, name = '', list = ''] = /^([\w.]+)(?:\[(.*)\])?$/s.exec(key) ?? [];
  const given = list.split(',').map((each) => each.trim().replaceAll(/^"|"$/g, ''));
  const parameter = (place: number) =>
    given[place] === undefined || given[place] === '' ? undefined : given[place];
  if (/^icmpping(loss|sec)?$/.test(name)) {
    const address = parameter(0) ?? host.address;
    if (address === undefined) return 'has no address';
    const options: FoundOptions = { Count: numberOf(parameter(1)), Size: numberOf(parameter(3)) };
    return {
      method: 'PING',
      url: hostText(address),
      options,
      lost: name === 'icmpping' ? [] : ['its limit, which stands in a trigger'],
    };
  }
  if (name !== 'net.tcp.service' && name !== 'net.tcp.service.perf')
    return `is the simple check ${key}, for which there is no Method`;
  const service = parameter(0) ?? '';
  const address = parameter(1) ?? host.address;
  const port = numberOf(parameter(2));
  if (address === undefined) return 'has no address';
  return serviceTarget(service, address, port);
}

const services = {
  ssh: 'SSH',
  smtp: 'SMTP',
  ftp: 'FTP',
  pop: 'POP3',
  nntp: 'NNTP',
  imap: 'IMAP4',
  telnet: 'TELNET',
} as const;

function serviceTarget(service: string, address: string, port: number | undefined): FoundTarget {
  for (const [name, method] of Object.entries(services))
    if (name === service) return { method, url: hostPort(address, port) };
  if (service === 'http' || service === 'https')
    return { method: 'TCP', url: `tcp://${hostPort(address, port ?? (service === 'https' ? 443 : 80))}` };
  if ((service === 'tcp' || service === 'ldap') && (port !== undefined || service === 'ldap'))
    return { method: 'TCP', url: `tcp://${hostPort(address, port ?? 389)}` };
  return `asks for the service ${JSON.stringify(service)} without a port that is known`;
}

/** A scenario of one step is a device; more steps in a row are not. */
function addScenario(host: Host, scenario: Fields, at: string, into: Into): void {
  const name = `${host.shown}: ${textOf(scenario['name']) ?? ''}`;
  const steps = listOf(scenario['steps']).map((each) => recordOf(each) ?? {});
  const [step] = steps;
  const one = { at, name, id: `${host.name}/web/${textOf(scenario['name']) ?? ''}` };
  if (step === undefined || steps.length > 1)
    return void into.refused.push({
      at,
      name,
      text: `is a web scenario of ${steps.length} steps; a Script can do that`,
    });
  const statuses = textOf(step['status_codes']);
  const pattern = textOf(step['required']);
  const options: FoundOptions = {
    ExpectStatus: statuses === undefined ? undefined : statuses.split(',').map((each) => each.trim()),
    ExpectRegex: pattern === undefined ? undefined : fill(host, pattern),
    User: textOf(scenario['http_user']),
    Password: textOf(scenario['http_password']),
    Body: textOf(step['posts']),
    Method: step['posts'] === undefined ? undefined : 'POST',
    MaxRedirects: textOf(step['follow_redirects']) === 'NO' ? 0 : undefined,
    // Zabbix verifies certificates where the scenario says so.
    TLS: textOf(scenario['verify_peer']) === 'YES' ? undefined : { Verify: false },
  };
  const url = fill(host, textOf(step['url']) ?? '');
  add(host, scenario, { ...one, target: { method: 'HTTP', url, options } }, into);
}
