import type { Json } from '@vantage/domain';
import { textOf } from '../json-values.ts';
import { type AccountResource, type FileEntry, kinds, type ManagedKind } from './managed-kinds.ts';
import type { EntryMatches } from './match-resources.ts';

/** The API's reference to a resource, or the reason why there is none. */
export type FoundReference =
  | { readonly reference: string; readonly problem?: never }
  | { readonly reference?: never; readonly problem: string };

/** Finds the resource that a text of a file names: by Key, name or id, in the files or in the account. */
export function createReferenceFinder(
  entries: readonly FileEntry[],
  resources: readonly AccountResource[],
  matches: EntryMatches,
): (kind: ManagedKind, text: string) => FoundReference {
  const byKey = new Map<string, string>();
  const byText = new Map<string, Set<string>>();
  const add = (kind: ManagedKind, text: Json | undefined, reference: string) => {
    if (typeof text !== 'string') return;
    const name = `${kind} ${text}`;
    byText.set(name, (byText.get(name) ?? new Set()).add(reference));
  };
  for (const { kind, id, key, settings } of resources) {
    if (key !== null) byKey.set(`${kind} ${key}`, id);
    add(kind, kind === 'device' ? settings['ShortName'] : settings['Name'], id);
    add(kind, id, id);
  }
  for (const entry of entries) {
    const { kind, key, settings } = entry;
    const name = kind === 'device' ? settings['ShortName'] : settings['Name'];
    // The API refers to new tags and Locations by name, to other new resources by `key:`.
    const newReference = kind === 'tag' || kind === 'location' ? textOf(name) : `key:${key}`;
    const reference = matches.get(entry)?.resource?.id ?? newReference;
    byKey.set(`${kind} ${key}`, reference);
    add(kind, name, reference);
  }
  return (kind, text) => {
    const keyed = byKey.get(`${kind} ${text}`);
    if (keyed !== undefined) return { reference: keyed };
    const found = [...(byText.get(`${kind} ${text}`) ?? [])];
    const [only] = found;
    if (only !== undefined && found.length === 1) return { reference: only };
    const quoted = JSON.stringify(text.slice(0, 100));
    const { what, section } = kinds[kind];
    return {
      problem:
        found.length > 1
          ? `${quoted} is the name of ${found.length} ${section}; write the Key or the id of one of them`
          : `${quoted} is neither the Key, the name nor the id of a ${what}; add it under ${section}, or correct it`,
    };
  };
}
