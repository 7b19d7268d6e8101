/** A level of tags whose names are paths: `berlin` of `berlin/rack-3`. */
export interface TagLevel {
  readonly name: string;
  /** Of the tag with exactly this name; null: the level is no tag. */
  readonly tagId: string | null;
  /** The tags at this level and below. */
  readonly tagNos: readonly number[];
}

interface Tag {
  readonly tag_no: number;
  readonly tag_id: string;
  readonly name: string;
}

/** The maximum of levels of a path; deeper names belong to the last level. */
const maxLevels = 10;

/**
 * All levels of tags whose names are paths, by name. Empty parts of a name (`a//b`, `/a`) belong to the level before
 * them. Pure.
 */
export function levelsOf(tags: readonly Tag[]): readonly TagLevel[] {
  const all = tags.flatMap((tag) => pathsOf(tag.name).map((path) => ({ path, tag })));
  return [...Map.groupBy(all, ({ path }) => path)]
    .map(([name, under]) => ({
      name,
      tagId: under.find(({ tag }) => tag.name === name)?.tag.tag_id ?? null,
      tagNos: under.map(({ tag }) => tag.tag_no),
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The name of a tag and every path above it. */
function pathsOf(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '');
  const above = Math.min(parts.length, maxLevels) - 1;
  return [...Array.from({ length: Math.max(above, 0) }, (_, at) => parts.slice(0, at + 1).join('/')), name];
}
