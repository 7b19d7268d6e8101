import { isDeepStrictEqual } from 'node:util';
import { cleanLine, isReceived, type Json } from '@vantage/domain';
import { isRecord, zoneName } from '@vantage/kernel';
import { textOf } from '../json-values.ts';
import type { AccountState } from './account-state.ts';
import { shownAddress } from './contact-address.ts';
import type { DesiredResource } from './desired-resource.ts';
import type { FileEntry, ResourceSettings } from './managed-kinds.ts';

/** Writes settings as the API shows them, so that equal settings compare as equal. */
export function normalizeSettings(
  entry: FileEntry,
  settings: ResourceSettings,
  accountTimezone: string,
  resolveContact: (text: Json) => Json,
): ResourceSettings {
  const next: Record<string, Json> = { ...settings };
  for (const field of ['Name', 'FullName'])
    if (typeof next[field] === 'string') next[field] = cleanLine(next[field].trim().normalize('NFC'));
  switch (entry.kind) {
    case 'nschedule':
      next['Steps'] = mapObjects(next['Steps'], (step) => ({
        ...withoutNulls(step),
        Contacts: Array.isArray(step['Contacts'])
          ? unique(step['Contacts'].map(resolveContact))
          : (step['Contacts'] ?? null),
      }));
      next['Timezone'] = zoneOf(next['Timezone'], accountTimezone);
      return next;
    case 'mschedule':
      next['Timezone'] = zoneOf(next['Timezone'], accountTimezone);
      return next;
    case 'location':
      next['Anchors'] = mapObjects(next['Anchors'], (anchor) => ({
        ...anchor,
        Networks: anchor['Networks'] ?? [],
      }));
      return next;
    case 'device': {
      const { Retries } = entry.settings;
      if (entry.settings['Attempts'] == null && typeof Retries === 'number') next['Attempts'] = Retries + 1;
      if (next['FrequencySeconds'] !== null) next['Frequency'] = 1;
      next['Options'] ??= {};
      next['Tags'] = sorted(next['Tags']);
      next['Locations'] = Array.isArray(next['Locations']) ? unique(next['Locations']) : null;
      // No agent checks it, whatever the defaults of the file are.
      if (isReceived(textOf(next['Method']))) Object.assign(next, { Locations: [], Attempts: 1 });
      return next;
    }
    case 'tag':
    case 'contact':
      return next;
  }
}

/** Whether the account already has the desired value of a field. */
export function isUnchanged(
  { entry, settings, resource }: DesiredResource,
  field: string,
  account: AccountState,
): boolean {
  const [desired, current] = [settings[field], resource?.settings[field]];
  if (isDeepStrictEqual(desired, current)) return true;
  // The API masks credentials, so an Address is compared as the API shows it.
  if (entry.kind === 'contact') return field === 'Address' && shownAddress(settings, desired) === current;
  if (entry.kind !== 'device') return false;
  if (field === 'Tags') return isDeepStrictEqual(sorted(desired), sorted(current));
  // The API stores the default Locations as null.
  return (
    field === 'Locations' && current === null && isDeepStrictEqual(desired, [...account.defaultLocationIds])
  );
}

/** The zone as the API writes it, or the account's. */
function zoneOf(zone: Json | undefined, accountTimezone: string): Json {
  return typeof zone === 'string' ? (zoneName(zone) ?? zone) : (zone ?? accountTimezone);
}

function mapObjects(value: Json | undefined, change: (object: ResourceSettings) => Json): Json {
  return Array.isArray(value)
    ? value.map((item: Json) => (isRecord(item) ? change(item) : item))
    : (value ?? null);
}

function withoutNulls(fields: ResourceSettings): ResourceSettings {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}

function unique(values: readonly Json[]): Json[] {
  return [...new Set(values)];
}

function sorted(value: Json | undefined): Json {
  return Array.isArray(value)
    ? unique(value).sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
    : (value ?? null);
}
