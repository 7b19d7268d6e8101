import { createReadingBuilder, type FormatReading, type ReadingBuilder } from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { parseJson } from '../input/structured-text.ts';
import { unreadable } from '../input/text-file.ts';
import { pluginCheck } from '../plugins/plugin-check.ts';
import {
  numberOf,
  recordOf,
  textOf,
  textsOf,
  truthOf,
  type UnknownRecord,
} from '../values/unknown-values.ts';
import { icingaPlugin } from './icinga-commands.ts';

const accepts =
  "answers of Icinga 2's API as JSON: /v1/objects/hosts, /v1/objects/services, /v1/objects/dependencies";

interface IcingaObject {
  readonly at: string;
  readonly type: string | undefined;
  readonly attrs: UnknownRecord;
}

/** Reads objects of Icinga 2, from one file or several. */
export function readIcinga(files: readonly string[], input: InputFiles = diskFiles): FormatReading {
  const objects = files.flatMap((file) => objectsOf(file, input));
  if (objects.length > maxItems) throw unreadable(`there are more than ${maxItems} objects; split them`);
  const hosts = new Map(
    objects.flatMap(({ type, attrs }) =>
      type === 'Host' ? [[textOf(attrs['name']) ?? '', attrs] as const] : [],
    ),
  );
  const masters = mastersOf(objects);
  const reading = createReadingBuilder();
  for (const { at, type, attrs } of objects) {
    if (type === 'Host') {
      const name = textOf(attrs['name']) ?? '';
      addCheck({ at, attrs, host: attrs, id: name, master: masters.get(name) }, reading);
    } else if (type === 'Service') addService({ at, attrs }, hosts, reading);
  }
  const others = Map.groupBy(
    objects.filter(({ type }) => type !== 'Host' && type !== 'Service' && type !== 'Dependency'),
    ({ type }) => type,
  );
  return {
    ...reading,
    things: 'hosts and services',
    ignored: [...others].map(([type, list]) => `not carried over: ${list.length} ${type} objects`),
  };
}

function objectsOf(file: string, input: InputFiles): IcingaObject[] {
  const results = recordOf(parseJson(input.readText(file), file, accepts))?.['results'];
  if (!Array.isArray(results)) throw unreadable(`${file} has no list results; accepted is ${accepts}`);
  return results.map((result: unknown, index) => ({
    at: `results[${index}]`,
    type: textOf(recordOf(result)?.['type']),
    attrs: recordOf(recordOf(result)?.['attrs']) ?? {},
  }));
}

/** The master of each host: the parent of its first dependency as a whole, not only of a service. */
function mastersOf(objects: readonly IcingaObject[]): ReadonlyMap<string, string> {
  const masters = new Map<string, string>();
  for (const { type, attrs } of objects) {
    const child = textOf(attrs['child_host_name']);
    const parent = textOf(attrs['parent_host_name']);
    const isOfHost = textOf(attrs['child_service_name']) === undefined;
    if (type === 'Dependency' && isOfHost && child !== undefined && parent !== undefined)
      masters.set(child, masters.get(child) ?? parent);
  }
  return masters;
}

function addService(
  { at, attrs }: Pick<IcingaObject, 'at' | 'attrs'>,
  hosts: ReadonlyMap<string, UnknownRecord>,
  reading: ReadingBuilder,
): void {
  const hostName = textOf(attrs['host_name']) ?? '';
  const id = `${hostName}!${textOf(attrs['name']) ?? ''}`;
  const host = hosts.get(hostName);
  if (host === undefined)
    return void reading.refused.push({
      at,
      name: id,
      text: `is a service of the host ${JSON.stringify(hostName)}, which is not in the files`,
    });
  addCheck({ at, attrs, host, id, master: hostName }, reading);
}

/** A host, or a service with its host. */
interface IcingaItem {
  readonly at: string;
  readonly attrs: UnknownRecord;
  readonly host: UnknownRecord;
  readonly id: string;
  readonly master: string | undefined;
}

function addCheck({ at, attrs, host, id, master }: IcingaItem, reading: ReadingBuilder): void {
  const vars = { ...recordOf(host['vars']), ...recordOf(attrs['vars']) };
  const address6 = textOf(host['address6']);
  const address = textOf(host['address']) ?? address6 ?? textOf(host['name']) ?? '';
  const [program, words] = icingaPlugin(textOf(attrs['check_command']) ?? '', vars, address6);
  // Icinga's template library passes the host's address to check_http, besides the virtual host.
  const args = program === 'check_http' && !words.includes('-I') ? [...words, '-I', address] : words;
  const { target, timeoutSeconds } = pluginCheck(program, args, address);
  if (typeof target === 'string') return void reading.refused.push({ at, name: id, text: target });
  const displayName = textOf(attrs['display_name']);
  const isHost = attrs === host;
  reading.checks.push({
    ...target,
    at,
    id,
    name: isHost ? (displayName ?? id) : `${textOf(host['name'])} ${displayName ?? textOf(attrs['name'])}`,
    intervalSeconds: numberOf(attrs['check_interval']),
    retryDelaySeconds: numberOf(attrs['retry_interval']),
    attempts: numberOf(attrs['max_check_attempts']),
    timeoutSeconds: numberOf(attrs['check_timeout']) ?? timeoutSeconds,
    master,
    tags: [...new Set([...textsOf(host['groups']), ...(isHost ? [] : textsOf(attrs['groups']))])],
    enabled: truthOf(attrs['enable_active_checks']) ?? true,
  });
}
