import type { FileTag } from './apply-file.ts';
import { keyOf } from './device-key.ts';
import { lineOf } from './device-names.ts';
import { asRead } from './unique-names.ts';

const maxTagLength = 200;

/** The tags of a file, in the order in which devices name them. */
export interface TagList {
  /** Adds tags and returns their names in the file; undefined: none. */
  readonly add: (names: readonly string[]) => readonly string[] | undefined;
  readonly list: () => readonly FileTag[];
  /** Tags that were joined or cut, for the report. */
  readonly notes: () => readonly string[];
}

/** Names that differ only in letter case are one tag, as in the API. */
export function createTagList(): TagList {
  const byRead = new Map<string, string>();
  const notes = new Set<string>();
  const addTag = (text: string): string | undefined => {
    const line = lineOf(text);
    const name = line.slice(0, maxTagLength).toWellFormed().trim();
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return undefined;
    if (name !== line) notes.add(`the tag ${JSON.stringify(line)} was cut to ${maxTagLength} characters`);
    const known = byRead.get(asRead(name));
    if (known !== undefined && known !== name)
      notes.add(`the tags ${JSON.stringify(known)} and ${JSON.stringify(name)} became one`);
    if (known === undefined) byRead.set(asRead(name), name);
    return known ?? name;
  };
  return {
    add(names) {
      const added = names.flatMap((name) => addTag(name) ?? []);
      return added.length === 0 ? undefined : [...new Set(added)];
    },
    list: () => [...byRead.values()].map((Name) => ({ Key: keyOf(Name), Name })),
    notes: () => [...notes],
  };
}
