import {
  createReadingBuilder,
  type FormatReading,
  type ReadingBuilder,
  type TargetOrReason,
} from '../found-check.ts';
import { diskFiles, type InputFiles } from '../input/input-files.ts';
import { maxItems } from '../input/max-items.ts';
import { parseYaml } from '../input/structured-text.ts';
import { unreadable } from '../input/text-file.ts';
import { spanSeconds } from '../values/span-seconds.ts';
import { listOf, numberOf, recordOf, textOf, type UnknownRecord } from '../values/unknown-values.ts';
import { simpleCheckTarget } from './zabbix-checks.ts';
import { scenarioTarget } from './zabbix-scenario.ts';

const accepts =
  'an export of hosts by Zabbix as YAML or JSON (zabbix_export with hosts); choose YAML for an export as XML';

/** Reads an export of Zabbix: simple checks and web scenarios of hosts, also from templates in the export. */
export function readZabbix(file: string, input: InputFiles = diskFiles): FormatReading {
  const text = input.readText(file);
  if (/^\s*</.test(text)) throw unreadable(`${file} is XML; accepted is ${accepts}`);
  const yaml = parseYaml(text, file, accepts);
  const root = recordOf(recordOf(yaml.value)?.['zabbix_export']);
  if (root === undefined || !Array.isArray(root['hosts']))
    throw unreadable(`${file} has no zabbix_export.hosts; accepted is ${accepts}`);
  const templates = new Map(
    recordsOf(root['templates']).map((template) => [textOf(template['template']) ?? '', template] as const),
  );
  const reading = createReadingBuilder();
  for (const [index, host] of root['hosts'].entries()) {
    const path = `hosts[${index}]`;
    const line = yaml.at(['zabbix_export', 'hosts', index]);
    readHost(recordOf(host) ?? {}, line === '' ? path : `${line}, ${path}`, templates, reading);
    if (reading.checks.length + reading.refused.length > maxItems)
      throw unreadable(`${file} has more than ${maxItems} items; split it`);
  }
  const others = ['triggers', 'graphs', 'media_types', 'maps'].filter((part) => root[part] !== undefined);
  return {
    ...reading,
    things: 'items and web scenarios',
    ignored: [...reading.ignored, ...others.map((part) => `not carried over: ${part}`)],
  };
}

/** A host with the values that its checks share. */
interface ZabbixHost {
  readonly fields: UnknownRecord;
  readonly at: string;
  readonly name: string;
  readonly displayName: string;
  readonly address: string | undefined;
  readonly tags: readonly string[];
  readonly macros: ReadonlyMap<string, string>;
}

function readHost(
  fields: UnknownRecord,
  at: string,
  templates: ReadonlyMap<string, UnknownRecord>,
  reading: ReadingBuilder,
): void {
  const name = textOf(fields['host']) ?? '';
  const linked = namesOf(fields['templates']);
  const missing = linked.filter((template) => !templates.has(template));
  if (missing.length > 0)
    reading.ignored.push(
      `the templates ${missing.join(', ')} of the host ${JSON.stringify(name)} are not in the file (export them, too)`,
    );
  const found = linked
    .map((template) => templates.get(template))
    .filter((template) => template !== undefined);
  const sources: readonly UnknownRecord[] = [fields, ...found];
  const host: ZabbixHost = {
    fields,
    at,
    name,
    displayName: textOf(fields['name']) ?? name,
    address: addressOf(fields),
    tags: namesOf(fields['groups']),
    macros: macrosOf(sources),
  };
  const before = reading.checks.length + reading.refused.length;
  for (const source of sources) {
    for (const item of recordsOf(source['items'])) addItem(host, item, reading);
    for (const scenario of recordsOf(source['httptests'])) addScenario(host, scenario, reading);
  }
  if (reading.checks.length + reading.refused.length === before)
    reading.refused.push({
      at,
      name: host.displayName,
      text: 'is a host without items and web scenarios in the file',
    });
}

function recordsOf(value: unknown): UnknownRecord[] {
  return listOf(value).map((item) => recordOf(item) ?? {});
}

function namesOf(value: unknown): string[] {
  return recordsOf(value).flatMap((record) => textOf(record['name']) ?? []);
}

/** The address of the host's first interface. */
function addressOf(fields: UnknownRecord): string | undefined {
  const [first = {}] = recordsOf(fields['interfaces']);
  return ['NO', '0'].includes(textOf(first['useip']) ?? '')
    ? textOf(first['dns'])
    : (textOf(first['ip']) ?? textOf(first['dns']));
}

/** The host's macros replace those of its templates. */
function macrosOf(sources: readonly UnknownRecord[]): ReadonlyMap<string, string> {
  return new Map(
    sources
      .toReversed()
      .flatMap((source) =>
        recordsOf(source['macros']).map(
          (macro) => [textOf(macro['macro']) ?? '', textOf(macro['value']) ?? ''] as const,
        ),
      ),
  );
}

function expandMacros(host: ZabbixHost, text: string): string {
  return text
    .replaceAll(/\{HOST\.(?:CONN|IP|DNS)\d?\}/g, host.address ?? '')
    .replaceAll(/\{HOST\.HOST\d?\}/g, host.name)
    .replaceAll(/\{\$[A-Z0-9_.]+(?::[^}]*)?\}/g, (macro) => host.macros.get(macro) ?? macro);
}

function addItem(host: ZabbixHost, item: UnknownRecord, reading: ReadingBuilder): void {
  const key = expandMacros(host, textOf(item['key']) ?? '');
  const type = textOf(item['type']) ?? 'ZABBIX_PASSIVE';
  const target =
    type === 'SIMPLE' || type === '3'
      ? simpleCheckTarget(key, host.address)
      : `is an item of the type ${type} (${key}); no Method reads it`;
  const name = `${host.displayName}: ${textOf(item['name']) ?? key}`;
  addCheck(host, item, { name, id: `${host.name}/${key}`, target }, reading);
}

function addScenario(host: ZabbixHost, scenario: UnknownRecord, reading: ReadingBuilder): void {
  const scenarioName = textOf(scenario['name']) ?? '';
  const name = `${host.displayName}: ${scenarioName}`;
  const target = scenarioTarget(scenario, (text) => expandMacros(host, text));
  addCheck(host, scenario, { name, id: `${host.name}/web/${scenarioName}`, target }, reading);
}

/** `source` is the item or scenario of the check. */
function addCheck(
  host: ZabbixHost,
  source: UnknownRecord,
  { name, id, target }: { name: string; id: string; target: TargetOrReason },
  reading: ReadingBuilder,
): void {
  const { at } = host;
  if (typeof target === 'string') return void reading.refused.push({ at, name, text: target });
  const isDisabled = ({ status }: UnknownRecord) => ['DISABLED', '1'].includes(textOf(status) ?? '');
  reading.checks.push({
    ...target,
    at,
    name,
    id,
    intervalSeconds: spanSeconds(expandMacros(host, textOf(source['delay']) ?? '1m').split(';')[0]),
    attempts: numberOf(source['attempts']),
    tags: host.tags,
    enabled: !isDisabled(host.fields) && !isDisabled(source),
  });
}
