import { isDeepStrictEqual } from 'node:util';
import { cleanLine, type Json } from '@vantage/domain';
import { zoneName } from '@vantage/kernel';
import { textOf } from '../json-text.ts';
import { shownAddress } from './contact-address.ts';
import {
  type Entry,
  type Kind,
  kinds,
  nameOf,
  type Problem,
  required,
  type Settings,
  type Thing,
  writeOnly,
} from './kinds.ts';
import type { Wanted } from './wanted.ts';

/** The content of an account, and what holds where a thing names nothing. */
export interface Account {
  readonly things: readonly Thing[];
  readonly timezone: string;
  /** Of devices that name no Locations. */
  readonly defaultLocationIds: readonly string[];
}

/** The thing of the account that is an entry's. */
interface Match {
  readonly thing: Thing | undefined;
  /** The thing has no Key; it is the same by what it is. */
  readonly isKeyless: boolean;
}

/** The match of each entry. */
export type Matches = ReadonlyMap<Entry, Match>;

/** The identity of a thing that has no Key: a device by Method, URL and ShortName, the others by name. */
function natural(kind: Kind, { Method, URL, ShortName, Name }: Settings): string {
  return JSON.stringify(
    kind === 'device' ? [kind, Method, URL, ShortName] : [kind, textOf(Name).toLowerCase()],
  );
}

/**
 * Matches entries with things: by Key, else with the one thing without a Key that is the same by what it is. No thing
 * is matched twice.
 */
export function matchThings(entries: readonly Entry[], things: readonly Thing[]): Matches {
  const byKey = new Map(
    things.flatMap((each) => (each.key === null ? [] : [[`${each.kind} ${each.key}`, each]])),
  );
  const keyless = Map.groupBy(
    things.filter(({ key }) => key === null),
    ({ kind, settings }) => natural(kind, settings),
  );
  const taken = new Set<Thing>();
  return new Map(
    entries.map((entry): [Entry, Match] => {
      const known = byKey.get(`${entry.kind} ${entry.key}`);
      if (known !== undefined) return [entry, { thing: known, isKeyless: false }];
      const [only, ...others] = keyless.get(natural(entry.kind, entry.settings)) ?? [];
      if (only === undefined || others.length > 0 || taken.has(only))
        return [entry, { thing: undefined, isKeyless: false }];
      taken.add(only);
      return [entry, { thing: only, isKeyless: true }];
    }),
  );
}

/** Finds what texts of a file name: a Key, a name or an id, of the file or of the account. */
function createNames(entries: readonly Entry[], account: Account, matches: Matches) {
  const found = new Map<string, Set<string>>();
  const add = (kind: Kind, text: Json | undefined, reference: string) => {
    if (typeof text !== 'string') return;
    const place = `${kind} ${text}`;
    found.set(place, (found.get(place) ?? new Set()).add(reference));
  };
  const keys = new Map<string, string>();
  for (const { kind, id, key, settings } of account.things) {
    if (key !== null) keys.set(`${kind} ${key}`, id);
    add(kind, kind === 'device' ? settings['ShortName'] : settings['Name'], id);
    add(kind, id, id);
  }
  for (const entry of entries) {
    const { kind, key, settings } = entry;
    const name = kind === 'device' ? settings['ShortName'] : settings['Name'];
    // The API takes tags and Locations by name, the others by `key:`.
    const own = kind === 'tag' || kind === 'location' ? textOf(name) : `key:${key}`;
    const reference = matches.get(entry)?.thing?.id ?? own;
    keys.set(`${kind} ${key}`, reference);
    add(kind, name, reference);
  }
  return (kind: Kind, text: string): { readonly reference?: string; readonly problem?: string } => {
    const byKey = keys.get(`${kind} ${text}`);
    if (byKey !== undefined) return { reference: byKey };
    const all = [...(found.get(`${kind} ${text}`) ?? [])];
    const [only] = all;
    if (only !== undefined && all.length === 1) return { reference: only };
    const shown = JSON.stringify(text.slice(0, 100));
    const { what, section } = kinds[kind];
    return {
      problem:
        all.length > 1
          ? `${shown} is the name of ${all.length} ${section}; write the Key or the id of one of them`
          : `${shown} is neither the Key, the name nor the id of a ${what}; add it under ${section}, or correct it`,
    };
  };
}

/** Resolves entries against what the account has. Every fault is named with its place. Pure. */
export function resolveEntries(
  entries: readonly Entry[],
  account: Account,
  matches: Matches,
): { readonly wanted: readonly Wanted[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const find = createNames(entries, account, matches);
  const wanted = entries.map((entry): Wanted => {
    const rule = kinds[entry.kind];
    const refer = (kind: Kind, field: string, text: Json): Json => {
      if (typeof text !== 'string') return text;
      const { reference, problem } = find(kind, text);
      if (problem !== undefined) problems.push({ at: entry.at(field), text: `${field}: ${problem}` });
      return reference ?? text;
    };
    const settings: Record<string, Json> = {};
    const secrets: Record<string, Json> = {};
    for (const [field, byDefault] of Object.entries(rule.fields)) {
      const given = entry.settings[field];
      if (byDefault === writeOnly) {
        if (given !== undefined) secrets[field] = given;
      } else if (given === undefined || given === null) {
        if (byDefault !== required) settings[field] = byDefault;
        else problems.push({ at: entry.at(), text: `${rule.what} ${entry.key} needs ${field}` });
      } else {
        const kind = rule.references[field];
        settings[field] =
          kind === undefined
            ? given
            : Array.isArray(given)
              ? given.map((each: Json) => refer(kind, field, each))
              : refer(kind, field, given);
      }
    }
    const { thing, isKeyless = false } = matches.get(entry) ?? {};
    return {
      entry,
      name: nameOf(entry.settings, entry.key),
      settings: normalize(entry, settings, account, (text) => refer('contact', 'Steps', text)),
      secrets,
      thing,
      isKeyless,
    };
  });
  return { wanted, problems };
}

/** Lays settings out as the API shows them, so that equal ones are equal. */
function normalize(
  entry: Entry,
  settings: Record<string, Json>,
  { timezone }: Account,
  contact: (text: Json) => Json,
): Settings {
  const next: Record<string, Json> = { ...settings };
  for (const field of ['Name', 'FullName'])
    if (typeof next[field] === 'string') next[field] = cleanLine(next[field].trim().normalize('NFC'));
  switch (entry.kind) {
    case 'nschedule':
      next['Steps'] = eachObject(next['Steps'], (step) => ({
        ...withoutNulls(step),
        Contacts: Array.isArray(step['Contacts'])
          ? unique(step['Contacts'].map(contact))
          : (step['Contacts'] ?? null),
      }));
      next['Timezone'] = zoneOf(next['Timezone'], timezone);
      return next;
    case 'mschedule':
      next['Timezone'] = zoneOf(next['Timezone'], timezone);
      return next;
    case 'location':
      next['Anchors'] = eachObject(next['Anchors'], (anchor) => ({
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
      return next;
    }
    case 'tag':
    case 'contact':
      return next;
  }
}

/** Whether a field of a wanted thing is as the account has it. */
export function isAsWanted({ entry, settings, thing }: Wanted, field: string, account: Account): boolean {
  const [wanted, now] = [settings[field], thing?.settings[field]];
  if (isDeepStrictEqual(wanted, now)) return true;
  // Nobody can compare what the API does not show.
  if (entry.kind === 'contact') return field === 'Address' && shownAddress(settings, wanted) === now;
  if (entry.kind !== 'device') return false;
  if (field === 'Tags') return isDeepStrictEqual(sorted(wanted), sorted(now));
  // Devices that name what is the default anyway are stored as naming nothing.
  return field === 'Locations' && now === null && isDeepStrictEqual(wanted, [...account.defaultLocationIds]);
}

/** The zone in the letter case of the API; without one that of the account. */
function zoneOf(given: Json | undefined, timezone: string): Json {
  return typeof given === 'string' ? (zoneName(given) ?? given) : (given ?? timezone);
}

function eachObject(value: Json | undefined, change: (each: Settings) => Json): Json {
  return Array.isArray(value)
    ? value.map((each: Json) => (isObject(each) ? change(each) : each))
    : (value ?? null);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutNulls(value: Settings): Settings {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}

function unique(values: readonly Json[]): Json[] {
  return [...new Set(values)];
}

function sorted(value: Json | undefined): Json {
  return Array.isArray(value)
    ? unique(value).sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
    : (value ?? null);
}
