import { globSync, statSync } from 'node:fs';
import path from 'node:path';
import { collector, type FoundCheck, type Reading } from '../found.ts';
import { mostThings, readText, unreadable } from '../input.ts';
import { shellWords } from '../plugins/arguments.ts';
import { pluginCheck } from '../plugins/plugin-target.ts';
import { numberOf } from '../values.ts';
import { list, type NagiosObject, parseObjects, resolveTemplates } from './objects.ts';

type Fields = Readonly<Record<string, string>>;

/** Context that the checks of all objects share. */
interface Surroundings {
  readonly commands: ReadonlyMap<string, string>;
  readonly hosts: Hosts;
  /** Groups of a host, and groups of a service by `host/description`. */
  readonly tagsOf: ReadonlyMap<string, readonly string[]>;
  readonly unitSeconds: number;
  readonly macros: Readonly<Record<string, string>>;
}

/**
 * Reads object files, folders of them, or objects.cache; nagios.cfg and resource.cfg among them give units and
 * `$USERn$`.
 */
export function readNagios(files: readonly string[]): Reading {
  const texts = files.flatMap(filesOf).map((file) => ({ file, text: readText(file) }));
  const parsed = texts.flatMap(({ file, text }) => parseObjects(text, path.basename(file)));
  const objects = resolveTemplates(parsed);
  const of = (kind: string) => objects.filter((each) => each.kind === kind);
  const hosts: Hosts = new Map(
    of('host').flatMap((each) =>
      each.fields['host_name'] === undefined ? [] : [[each.fields['host_name'], each] as const],
    ),
  );
  const whole = texts.map(({ text }) => text).join('\n');
  const around: Surroundings = {
    hosts,
    commands: new Map(
      of('command').map(({ fields }) => [fields['command_name'] ?? '', fields['command_line'] ?? '']),
    ),
    tagsOf: groupMembers(objects, hosts),
    unitSeconds: numberOf(/^\s*interval_length\s*=\s*(\d+)/m.exec(whole)?.[1]) ?? 60,
    macros: Object.fromEntries(
      [...whole.matchAll(/^\s*\$(USER\d+)\$\s*=\s*(.*?)\s*$/gm)].map(([, name = '', value = '']) => [
        name,
        value,
      ]),
    ),
  };
  const into = collector();
  for (const host of of('host')) addHost(host, around, into);
  for (const service of of('service')) addServices(service, around, into);
  if (into.checks.length + into.refused.length > mostThings)
    throw unreadable(`there are more than ${mostThings} hosts and services; split them`);
  const others = [
    'contact',
    'contactgroup',
    'timeperiod',
    'hostescalation',
    'serviceescalation',
    'servicedependency',
    'hostdependency',
  ];
  return {
    ...into,
    things: 'hosts and services',
    ignored: others.flatMap((kind) =>
      of(kind).length === 0 ? [] : [`not carried over: ${of(kind).length} ${kind} objects`],
    ),
  };
}

function filesOf(file: string): string[] {
  if (file === '-') return [file];
  const folder = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  const found = folder
    ? globSync('**/*.cfg', { cwd: file })
        .sort()
        .map((each) => path.join(file, each))
    : [file];
  if (found.length === 0 || found.length > 5000)
    throw unreadable(`${file} holds ${found.length} files *.cfg; accepted are 1 to 5000`);
  return found;
}

function addHost(host: NagiosObject, around: Surroundings, into: ReturnType<typeof collector>): void {
  const { fields, at } = host;
  const name = fields['host_name'];
  if (name === undefined)
    return void into.refused.push({ at, name: fields['alias'] ?? '', text: 'is a host without host_name' });
  const check = checkOf(
    fields['check_command'] ?? 'check-host-alive',
    { ...fields, host_name: name },
    {},
    around,
  );
  if (typeof check.target === 'string') return void into.refused.push({ at, name, text: check.target });
  const [parent, ...others] = list(fields['parents']);
  into.checks.push({
    at,
    name: fields['alias'] === undefined || fields['alias'] === name ? name : fields['alias'],
    id: name,
    shortName: undefined,
    ...check.target,
    ...timesOf(fields, around, check.timeoutSeconds),
    master: parent,
    tags: around.tagsOf.get(name),
    lost: [
      ...(check.target.lost ?? []),
      ...(others.length > 0 ? [`its further parents ${others.join(', ')}`] : []),
    ],
  });
}

function addServices(service: NagiosObject, around: Surroundings, into: ReturnType<typeof collector>): void {
  const { fields, at } = service;
  const description = fields['service_description'] ?? '';
  const names = hostsOf(fields, around);
  if (names.length === 0)
    return void into.refused.push({ at, name: description, text: 'is a service of no host that is there' });
  for (const name of names) {
    const host = around.hosts.get(name)?.fields;
    const shown = `${name} ${description}`;
    if (host === undefined) {
      into.refused.push({
        at,
        name: shown,
        text: `is a service of the host ${JSON.stringify(name)}, which is not there`,
      });
      continue;
    }
    const check = checkOf(fields['check_command'] ?? '', host, fields, around);
    if (typeof check.target === 'string') into.refused.push({ at, name: shown, text: check.target });
    else
      into.checks.push({
        at,
        name: shown,
        id: `${name}/${description}`,
        ...check.target,
        ...timesOf(fields, around, check.timeoutSeconds),
        master: name,
        tags: [
          ...new Set([
            ...(around.tagsOf.get(name) ?? []),
            ...(around.tagsOf.get(`${name}/${description}`) ?? []),
            ...list(fields['servicegroups']),
          ]),
        ],
      });
  }
}

/** Hosts of a service: by name, by group, all with `*`, less those with `!`. */
function hostsOf(fields: Fields, { hosts, tagsOf }: Surroundings): string[] {
  const wanted = list(fields['host_name']);
  const groups = list(fields['hostgroup_name']);
  const inGroup = (group: string) =>
    [...hosts.keys()].filter((name) => group === '*' || tagsOf.get(name)?.includes(group));
  const chosen = [
    ...wanted.flatMap((name) => (name === '*' ? [...hosts.keys()] : name.startsWith('!') ? [] : [name])),
    ...groups.filter((group) => !group.startsWith('!')).flatMap(inGroup),
  ];
  const left = new Set([
    ...wanted.filter((name) => name.startsWith('!')).map((name) => name.slice(1)),
    ...groups.filter((group) => group.startsWith('!')).flatMap((group) => inGroup(group.slice(1))),
  ]);
  return [...new Set(chosen)].filter((name) => !left.has(name));
}

function timesOf(
  fields: Fields,
  { unitSeconds }: Surroundings,
  timeoutSeconds: number | undefined,
): Partial<FoundCheck> {
  const span = (...names: string[]) => {
    const units = names.flatMap((name) => numberOf(fields[name]) ?? [])[0];
    return units === undefined || units <= 0 ? undefined : units * unitSeconds;
  };
  return {
    intervalSeconds: span('check_interval', 'normal_check_interval'),
    retryDelaySeconds: span('retry_interval', 'retry_check_interval'),
    attempts: numberOf(fields['max_check_attempts']),
    timeoutSeconds,
    enabled: fields['active_checks_enabled'] !== '0',
  };
}

/** Fills the macros of a command and maps its plugin. */
function checkOf(
  command: string,
  host: Fields,
  service: Fields,
  { commands, macros }: Surroundings,
): ReturnType<typeof pluginCheck> {
  const [name = '', ...given] = command.split(/(?<!\\)!/);
  const line = commands.get(name);
  // The usual commands have the names of their plugins.
  const text = line ?? [name, ...given].join(' ');
  const address = host['address'] ?? host['host_name'] ?? '';
  const values: Record<string, string> = {
    ...macros,
    HOSTADDRESS: address,
    HOSTNAME: host['host_name'] ?? '',
    HOSTALIAS: host['alias'] ?? host['host_name'] ?? '',
    HOSTDISPLAYNAME: host['display_name'] ?? host['host_name'] ?? '',
    SERVICEDESC: service['service_description'] ?? '',
  };
  for (const [at, value] of given.entries()) values[`ARG${at + 1}`] = value;
  for (const [kind, fields] of [
    ['HOST', host],
    ['SERVICE', service],
  ] as const)
    for (const [field, value] of Object.entries(fields))
      if (field.startsWith('_')) values[`_${kind}${field.slice(1).toUpperCase()}`] = value;
  const fill = (from: string) => from.replaceAll(/\$(\w+)\$/g, (_, macro: string) => values[macro] ?? '');
  const [program = '', ...words] = shellWords(fill(fill(text)));
  return pluginCheck(program, words, address);
}

/** Hosts by their name. */
type Hosts = ReadonlyMap<string, NagiosObject>;

/** The groups of each host (by its name) and of each service (by `host/description`). Groups in groups count. */
function groupMembers(objects: readonly NagiosObject[], hosts: Hosts): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  const add = (member: string, group: string) => {
    const known = groups.get(member) ?? [];
    if (!known.includes(group)) groups.set(member, [...known, group]);
  };
  for (const [name, { fields }] of hosts) for (const group of list(fields['hostgroups'])) add(name, group);
  const named = objects.filter(({ kind }) => kind === 'hostgroup');
  const byName = new Map(named.map((each) => [each.fields['hostgroup_name'] ?? '', each]));
  const membersOf = (name: string, above: readonly string[]): string[] => {
    const fields = byName.get(name)?.fields ?? {};
    const joined = [...hosts].flatMap(([host, each]) =>
      list(each.fields['hostgroups']).includes(name) ? [host] : [],
    );
    const own = list(fields['members']).flatMap((member) => (member === '*' ? [...hosts.keys()] : [member]));
    const inner = list(fields['hostgroup_members']).filter((each) => !above.includes(each));
    return [...joined, ...own, ...inner.flatMap((each) => membersOf(each, [...above, each]))];
  };
  for (const name of byName.keys()) for (const member of membersOf(name, [name])) add(member, name);
  for (const { kind, fields } of objects) {
    if (kind !== 'servicegroup') continue;
    const members = list(fields['members']);
    for (let at = 0; at + 1 < members.length; at += 2)
      add(`${members[at]}/${members[at + 1]}`, fields['servicegroup_name'] ?? '');
  }
  return groups;
}
