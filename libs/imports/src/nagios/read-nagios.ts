import path from 'node:path';
import {
  createReadingBuilder,
  type FormatReading,
  type FoundCheck,
  type ReadingBuilder,
} from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { unreadable } from '../input/text-file.ts';
import { numberOf } from '../values/unknown-values.ts';
import { commandCheck, type NagiosCommands } from './nagios-command.ts';
import { groupsByMember, type NagiosHosts } from './nagios-groups.ts';
import {
  type NagiosFields,
  type NagiosObject,
  namesOf,
  parseObjects,
  resolveTemplates,
} from './nagios-objects.ts';

const maxFiles = 5000;

/** Kinds of objects that are not imported. */
const ignoredKinds = [
  'contact',
  'contactgroup',
  'timeperiod',
  'hostescalation',
  'serviceescalation',
  'servicedependency',
  'hostdependency',
];

/** The parts of a configuration that all of its checks share. */
interface NagiosConfiguration {
  readonly commands: NagiosCommands;
  readonly hosts: NagiosHosts;
  readonly groups: ReturnType<typeof groupsByMember>;
  readonly unitSeconds: number;
}

/**
 * Reads object files, folders of them, or objects.cache. nagios.cfg and resource.cfg may be among them; they have the
 * unit of intervals and `$USERn$`.
 */
export function readNagios(files: readonly string[], input: InputFiles = diskFiles): FormatReading {
  const texts = files
    .flatMap((file) => filesOf(file, input))
    .map((file) => ({ file, text: input.readText(file) }));
  const parsed = texts.flatMap(({ file, text }) => parseObjects(text, path.basename(file)));
  const objects = resolveTemplates(parsed);
  const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
  const hosts: NagiosHosts = new Map(
    ofKind('host').flatMap((host) =>
      host.fields['host_name'] === undefined ? [] : [[host.fields['host_name'], host] as const],
    ),
  );
  const allText = texts.map(({ text }) => text).join('\n');
  const configuration: NagiosConfiguration = {
    hosts,
    commands: {
      lines: new Map(
        ofKind('command').map(({ fields }) => [fields['command_name'] ?? '', fields['command_line'] ?? '']),
      ),
      macros: Object.fromEntries(
        [...allText.matchAll(/^\s*\$(USER\d+)\$\s*=\s*(.*?)\s*$/gm)].map(([, name = '', value = '']) => [
          name,
          value,
        ]),
      ),
    },
    groups: groupsByMember(objects, hosts),
    unitSeconds: numberOf(/^\s*interval_length\s*=\s*(\d+)/m.exec(allText)?.[1]) ?? 60,
  };
  const reading = createReadingBuilder();
  for (const host of ofKind('host')) addHost(host, configuration, reading);
  for (const service of ofKind('service')) addServices(service, configuration, reading);
  if (reading.checks.length + reading.refused.length > maxItems)
    throw unreadable(`there are more than ${maxItems} hosts and services; split them`);
  return {
    ...reading,
    things: 'hosts and services',
    ignored: ignoredKinds.flatMap((kind) => {
      const { length } = ofKind(kind);
      return length === 0 ? [] : [`not carried over: ${length} ${kind} objects`];
    }),
  };
}

function filesOf(file: string, input: InputFiles): readonly string[] {
  const found = input.configurationsOf(file);
  if (found.length === 0 || found.length > maxFiles)
    throw unreadable(`${file} has ${found.length} files *.cfg; accepted are 1 to ${maxFiles}`);
  return found;
}

function addHost(
  { fields, at }: NagiosObject,
  configuration: NagiosConfiguration,
  reading: ReadingBuilder,
): void {
  const name = fields['host_name'];
  if (name === undefined)
    return void reading.refused.push({
      at,
      name: fields['alias'] ?? '',
      text: 'is a host without host_name',
    });
  const command = fields['check_command'] ?? 'check-host-alive';
  const check = commandCheck(command, fields, {}, configuration.commands);
  if (typeof check.target === 'string') return void reading.refused.push({ at, name, text: check.target });
  const [parent, ...otherParents] = namesOf(fields['parents']);
  reading.checks.push({
    at,
    name: fields['alias'] ?? name,
    id: name,
    ...check.target,
    ...timesOf(fields, configuration, check.timeoutSeconds),
    master: parent,
    tags: configuration.groups.get(name),
    lost: [
      ...(check.target.lost ?? []),
      ...(otherParents.length > 0 ? [`its further parents ${otherParents.join(', ')}`] : []),
    ],
  });
}

/** Adds a check for each host of a service. */
function addServices(
  { fields, at }: NagiosObject,
  configuration: NagiosConfiguration,
  reading: ReadingBuilder,
): void {
  const description = fields['service_description'] ?? '';
  const names = hostsOf(fields, configuration);
  if (names.length === 0)
    return void reading.refused.push({
      at,
      name: description,
      text: 'is a service whose hosts are not in the files',
    });
  for (const name of names) {
    const host = configuration.hosts.get(name)?.fields;
    const fullName = `${name} ${description}`;
    if (host === undefined) {
      reading.refused.push({
        at,
        name: fullName,
        text: `is a service of the host ${JSON.stringify(name)}, which is not in the files`,
      });
      continue;
    }
    const check = commandCheck(fields['check_command'] ?? '', host, fields, configuration.commands);
    if (typeof check.target === 'string') reading.refused.push({ at, name: fullName, text: check.target });
    else
      reading.checks.push({
        at,
        name: fullName,
        id: `${name}/${description}`,
        ...check.target,
        ...timesOf(fields, configuration, check.timeoutSeconds),
        master: name,
        tags: [
          ...new Set([
            ...(configuration.groups.get(name) ?? []),
            ...(configuration.groups.get(`${name}/${description}`) ?? []),
            ...namesOf(fields['servicegroups']),
          ]),
        ],
      });
  }
}

/** The hosts of a service: by name or group, all with `*`, without those with `!`. */
function hostsOf(fields: NagiosFields, { hosts, groups }: NagiosConfiguration): string[] {
  const hostNames = namesOf(fields['host_name']);
  const groupNames = namesOf(fields['hostgroup_name']);
  const inGroup = (group: string) =>
    [...hosts.keys()].filter((name) => group === '*' || groups.get(name)?.includes(group));
  const included = [
    ...hostNames.flatMap((name) => (name === '*' ? [...hosts.keys()] : name.startsWith('!') ? [] : [name])),
    ...groupNames.filter((group) => !group.startsWith('!')).flatMap(inGroup),
  ];
  const excluded = new Set([
    ...hostNames.filter((name) => name.startsWith('!')).map((name) => name.slice(1)),
    ...groupNames.filter((group) => group.startsWith('!')).flatMap((group) => inGroup(group.slice(1))),
  ]);
  return [...new Set(included)].filter((name) => !excluded.has(name));
}

function timesOf(
  fields: NagiosFields,
  { unitSeconds }: NagiosConfiguration,
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
