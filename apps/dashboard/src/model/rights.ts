/** Levels of keys and people. Each includes the rights of the levels before it. */
export const levels = ['UR', 'UO', 'UW', 'UA'] as const;
export type AccessLevel = (typeof levels)[number];

const small = (text: string) => text.trim().toLowerCase();
/** The tags of a branch: `berlin/*` are all tags that begin with `berlin/`. */
const inBranch = (branch: string) => (tag: string) => small(tag).startsWith(`${small(branch)}/`);

/** The branches above a tag, the largest first: for `a/b/c` these are `a` and `a/b`. */
function branchesOf(tag: string): readonly string[] {
  const parts = tag.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/'));
}

/**
 * The tags of a scope in few words: names, and whole branches of two or more tags (`berlin/*`). `all` are the tags of
 * the account.
 */
export function scopeParts(scope: readonly string[], all: readonly string[]): readonly string[] {
  const has = new Set(scope.map(small));
  const isWhole = (branch: string) => {
    const tags = all.filter(inBranch(branch));
    return tags.length > 1 && tags.every((tag) => has.has(small(tag)));
  };
  const parts = scope.map((tag) => {
    const branch = branchesOf(tag).find(isWhole);
    return branch === undefined ? tag : `${branch}/*`;
  });
  return [...new Map(parts.map((part) => [small(part), part])).values()].sort((a, b) => (a < b ? -1 : 1));
}

/** A scope that was typed as text. */
export interface WrittenScope {
  /** The names of its tags; null: no limit. */
  readonly tags: readonly string[] | null;
  /** The words that are neither a tag nor a branch. */
  readonly unknown: readonly string[];
}

/** Parses tags and branches separated by commas, in any letter case. An empty text means no limit. */
export function readScope(text: string, all: readonly string[]): WrittenScope {
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  if (words.length === 0) return { tags: null, unknown: [] };
  const found = words.map((word) => {
    const isBranch = word.endsWith('/*');
    const fits = isBranch ? inBranch(word.slice(0, -2)) : (tag: string) => small(tag) === small(word);
    return { word, tags: all.filter(fits) };
  });
  return {
    tags: [...new Set(found.flatMap(({ tags }) => tags))],
    unknown: found.filter(({ tags }) => tags.length === 0).map(({ word }) => word),
  };
}
