import type { Json } from '@vantage/domain';
import { createUniqueNames, keyOf } from '@vantage/imports';
import { isRecord } from '@vantage/kernel';
import { stringify } from 'yaml';
import { textOf } from '../json-values.ts';
import type { AccountState } from './account-state.ts';
import { type AccountResource, kindNames, kinds, type ManagedKind, required } from './managed-kinds.ts';

/** The resources of an account as a file of `apply`, and notes for the person who exports it. */
export interface AccountFile {
  readonly text: string;
  readonly notes: readonly string[];
}

/**
 * Writes all resources of an account, or those of a source. The same content gives the same text. Default settings are
 * left out. Pure.
 */
export function exportFile(account: AccountState, source: string | undefined): AccountFile {
  const exported = account.resources.filter((resource) => source === undefined || resource.source === source);
  const labels = labelsOf(account.resources);
  const notes: string[] = [];
  const parts: Record<string, Json> = source === undefined ? {} : { source };
  for (const kind of kindNames) {
    const entries = exported
      .filter((resource) => resource.kind === kind)
      .map((resource) => entryOf(resource, labels));
    entries.sort((a, b) => (textOf(a['Key']) < textOf(b['Key']) ? -1 : 1));
    if (entries.length > 0) parts[kinds[kind].section] = entries;
  }
  const keyless = exported.filter(({ key }) => key === null).length;
  if (keyless > 0)
    notes.push(
      `${keyless} of ${exported.length} resources have no ExternalKey: the file gives them a Key, and \`apply --adopt\` writes it.`,
    );
  const masked = exported.filter(({ settings }) => JSON.stringify(settings).includes('***')).length;
  if (masked > 0)
    notes.push(
      `${masked === 1 ? '1 secret is in use and' : `${masked} secrets are in use and`} shown as ***: in another account, write \${secret:NAME} (devices) or \${env:NAME} (contacts) in their place.`,
    );
  return { text: stringify(parts, { lineWidth: 0, aliasDuplicateObjects: false }), notes };
}

/** The Key and name of a resource in the file. */
interface ResourceLabel {
  /** Its ExternalKey, or a unique Key that is derived from its name. */
  readonly key: string;
  readonly name: Json;
}

/** By the ids of resources. */
function labelsOf(resources: readonly AccountResource[]): ReadonlyMap<string, ResourceLabel> {
  const names = new Map(kindNames.map((kind) => [kind, createUniqueNames()]));
  const labels = new Map<string, ResourceLabel>();
  // Keys that exist come first, so that no derived Key takes one of them.
  for (const isKeyed of [true, false])
    for (const { kind, id, key, name, settings } of resources)
      if ((key !== null) === isKeyed) {
        const preferred = key ?? keyOf(name);
        const unique = names.get(kind)?.(preferred, (count) => `${preferred.slice(0, 120)}-${count}`).name;
        labels.set(id, { key: key ?? unique ?? preferred, name: settings['Name'] ?? name });
      }
  return labels;
}

function entryOf(
  { kind, id, settings }: AccountResource,
  labels: ReadonlyMap<string, ResourceLabel>,
): Readonly<Record<string, Json>> {
  const { fields, references } = kinds[kind];
  const entry: Record<string, Json> = { Key: labels.get(id)?.key ?? id };
  for (const [field, byDefault] of Object.entries(fields)) {
    const value = settings[field];
    if (value === undefined || isDefault(value, byDefault)) continue;
    // The API shows Frequency 1 together with FrequencySeconds.
    if (field === 'Frequency' && settings['FrequencySeconds'] !== null) continue;
    const referredKind = references[field];
    entry[field] = referredKind === undefined ? value : withNames(value, referredKind, labels);
  }
  if (kind === 'nschedule' && Array.isArray(entry['Steps']))
    entry['Steps'] = entry['Steps'].map((step: Json) =>
      isRecord(step) ? { ...step, Contacts: withNames(step['Contacts'] ?? [], 'contact', labels) } : step,
    );
  return entry;
}

/** Replaces the ids of tags and Locations by names, those of other resources by Keys. */
function withNames(value: Json, kind: ManagedKind, labels: ReadonlyMap<string, ResourceLabel>): Json {
  if (Array.isArray(value)) {
    const names = value.map((id: Json) => withNames(id, kind, labels));
    return kind === 'tag' ? names.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) : names;
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
