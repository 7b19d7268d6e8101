import type { FileTag } from './apply-file.ts';
import type { FoundCheck } from './found.ts';
import { asRead, keyOf, lineOf } from './names.ts';

/** The tags of a file, in the order in which devices name them. */
export interface TagList {
  /** The tags of a check as the file names them; undefined: none. */
  readonly of: (check: FoundCheck) => readonly string[] | undefined;
  readonly list: () => readonly FileTag[];
  /** Tags that were joined or cut, for the report. */
  readonly notes: () => readonly string[];
}

/** Collects tags. Names that differ in letter case alone are one tag, as in the API. */
export function settleTags(longest: number): TagList {
  const byRead = new Map<string, string>();
  const notes = new Set<string>();
  const settleOne = (wish: string): string | undefined => {
    const line = lineOf(wish);
    const name = line.slice(0, longest).toWellFormed().trim();
    if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) return undefined;
    if (name !== line) notes.add(`the tag ${JSON.stringify(line)} was cut to ${longest} characters`);
    const known = byRead.get(asRead(name));
    if (known !== undefined && known !== name)
      notes.add(`the tags ${JSON.stringify(known)} and ${JSON.stringify(name)} are one`);
    if (known === undefined) byRead.set(asRead(name), name);
    return known ?? name;
  };
  return {
    of(check) {
      const names = (check.tags ?? []).flatMap((tag) => settleOne(tag) ?? []);
      return names.length === 0 ? undefined : [...new Set(names)];
    },
    list: () => [...byRead.values()].map((Name) => ({ Key: keyOf(Name), Name })),
    notes: () => [...notes],
  };
}
