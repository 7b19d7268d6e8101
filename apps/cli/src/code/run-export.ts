import { writeFileSync } from 'node:fs';
import type { Json, Method } from '@vantage/domain';
import { Fault, messageOf } from '@vantage/kernel';
import { stringify } from 'yaml';
import { exportCsv } from '../imports/back/csv.ts';
import type { Exported, ExportedDevice } from '../imports/back/exported-device.ts';
import { exportGatus } from '../imports/back/gatus.ts';
import { exportFileSd } from '../imports/back/prometheus-file-sd.ts';
import { createUniqueNames, keyOf } from '../imports/names.ts';
import { textOf } from '../json-text.ts';
import { connect } from '../remote/connection.ts';
import type { ControllerAccess } from '../remote/https-fetch.ts';
import { type Kind, kindNames, kinds, required, type Settings, type Thing } from './kinds.ts';
import { readAccount } from './read-account.ts';
import type { Account } from './resolve.ts';

/** The forms of an export. */
type ExportForm = 'yaml' | 'csv' | 'gatus' | 'prometheus-file-sd';

/** Writes what the account has, as a file of `apply` or of another tool. */
export async function runExport(request: {
  readonly access: ControllerAccess;
  readonly source: string | undefined;
  readonly form: ExportForm;
  readonly output: string | undefined;
}): Promise<void> {
  using connection = connect(request.access);
  const account = await readAccount(connection);
  const { text, notes } = exported(account, request.form, request.source);
  for (const note of notes) process.stderr.write(`${note}\n`);
  if (request.output === undefined) process.stdout.write(text);
  else write(request.output, text);
}

const others: Readonly<
  Record<Exclude<ExportForm, 'yaml'>, (devices: readonly ExportedDevice[]) => Exported>
> = {
  csv: exportCsv,
  gatus: exportGatus,
  'prometheus-file-sd': exportFileSd,
};

function exported(
  account: Account,
  form: ExportForm,
  source: string | undefined,
): { readonly text: string; readonly notes: readonly string[] } {
  if (form === 'yaml') return exportFile(account, source);
  const tags = new Map(account.things.map(({ id, settings }) => [id, textOf(settings['Name'])]));
  const devices = account.things
    .filter((each) => each.kind === 'device' && (source === undefined || each.source === source))
    .map((each) => exportedDevice(each, tags));
  const { text, lost } = others[form](devices);
  return { text, notes: lost.map(({ name, text: what }) => `${name}: ${what}`) };
}

function exportedDevice({ id, key, settings }: Thing, tags: ReadonlyMap<string, string>): ExportedDevice {
  const { Tags } = settings;
  return {
    ...(settings as unknown as ExportedDevice),
    device_id: id,
    Method: settings['Method'] as Method,
    ExternalKey: key,
    Tags: Array.isArray(Tags) ? Tags.map((tag) => ({ Name: tags.get(textOf(tag)) ?? textOf(tag) })) : [],
  };
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new Fault('stop', 'unwritable', `${file} cannot be written: ${messageOf(error)}`);
  }
}

/** A file of what an account has, and what a reader should know about it. */
interface ExportedFile {
  readonly text: string;
  readonly notes: readonly string[];
}

/**
 * The file of everything in an account, or of what one source manages. The same content gives the same text. Settings
 * at their default are left out. Pure.
 */
function exportFile(account: Account, source: string | undefined): ExportedFile {
  const shown = account.things.filter((each) => source === undefined || each.source === source);
  const labels = labelsOf(account.things);
  const notes: string[] = [];
  const parts: Record<string, Json> = source === undefined ? {} : { source };
  for (const kind of kindNames) {
    const own = shown.filter((each) => each.kind === kind);
    const entries = own.map((thing) => entryOf(thing, labels));
    entries.sort((a, b) => (textOf(a['Key']) < textOf(b['Key']) ? -1 : 1));
    if (entries.length > 0) parts[kinds[kind].section] = entries;
  }
  const keyless = shown.filter(({ key }) => key === null).length;
  if (keyless > 0)
    notes.push(
      `${keyless} of ${shown.length} things have no ExternalKey: the file gives them a Key, and \`apply --adopt\` writes it.`,
    );
  const masked = shown.filter(({ settings }) => JSON.stringify(settings).includes('***')).length;
  if (masked > 0)
    notes.push(
      `${masked === 1 ? '1 secret is in use and' : `${masked} secrets are in use and`} shown as ***: in another account, write \${secret:NAME} (devices) or \${env:NAME} (contacts) in their place.`,
    );
  return { text: stringify(parts, { lineWidth: 0, aliasDuplicateObjects: false }), notes };
}

/** How files name a thing. */
interface Label {
  /** Its own, or one that is made of its name and is unique. */
  readonly key: string;
  readonly name: Json;
}

/** The labels of things by their ids. */
function labelsOf(things: readonly Thing[]): ReadonlyMap<string, Label> {
  const names = new Map(kindNames.map((kind) => [kind, createUniqueNames()]));
  const labels = new Map<string, Label>();
  for (const isKeyed of [true, false])
    for (const { kind, id, key, name, settings } of things)
      if ((key !== null) === isKeyed) {
        const wish = key ?? keyOf(name);
        const unique = names.get(kind)?.(wish, (count) => `${wish.slice(0, 120)}-${count}`).name;
        labels.set(id, { key: key ?? unique ?? wish, name: settings['Name'] ?? name });
      }
  return labels;
}

function entryOf(
  { kind, id, settings }: Thing,
  labels: ReadonlyMap<string, Label>,
): Readonly<Record<string, Json>> {
  const { fields, references } = kinds[kind];
  const entry: Record<string, Json> = { Key: labels.get(id)?.key ?? id };
  for (const [field, byDefault] of Object.entries(fields)) {
    const value = settings[field];
    if (value === undefined || isDefault(value, byDefault)) continue;
    // Frequency reads 1 beside FrequencySeconds.
    if (field === 'Frequency' && settings['FrequencySeconds'] !== null) continue;
    const other = references[field];
    entry[field] = other === undefined ? value : named(value, other, labels);
  }
  if (kind === 'nschedule' && Array.isArray(entry['Steps']))
    entry['Steps'] = entry['Steps'].map((step: Json) =>
      isObject(step) ? { ...step, Contacts: named(step['Contacts'] ?? [], 'contact', labels) } : step,
    );
  return entry;
}

/** Tags and Locations by their names, other things by their Keys. */
function named(value: Json, kind: Kind, labels: ReadonlyMap<string, Label>): Json {
  if (Array.isArray(value)) {
    const all = value.map((each: Json) => named(each, kind, labels));
    return kind === 'tag' ? all.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : all;
  }
  const label = typeof value === 'string' ? labels.get(value) : undefined;
  if (label === undefined) return value;
  return kind === 'tag' || kind === 'location' ? label.name : label.key;
}

function isDefault(value: Json, byDefault: unknown): boolean {
  if (byDefault === required) return false;
  return (
    JSON.stringify(value) === JSON.stringify(byDefault) ||
    (byDefault === null && JSON.stringify(value) === '{}')
  );
}

function isObject(value: Json): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
