import { type State, worstOf } from './state.ts';

/** A level of tag paths with what it holds. */
export interface Branch {
  /** The last part of the path. */
  readonly name: string;
  readonly path: string;
  readonly worst: State;
  readonly total: number;
  readonly down: number;
  readonly branches: readonly Branch[];
}

interface Tagged {
  readonly id: string;
  readonly state: State;
  readonly tags: readonly string[];
}

/** The levels of all tag paths, by name. A device counts once in each level, whatever tags it has below. */
export function tagTree(rows: Iterable<Tagged>): readonly Branch[] {
  const levels = new Map<string, Map<string, State>>();
  for (const { id, state, tags } of rows)
    for (const tag of tags) {
      const parts = tag.split('/');
      for (let depth = 1; depth <= parts.length; depth += 1) {
        const path = parts.slice(0, depth).join('/');
        const level = levels.get(path) ?? new Map<string, State>();
        levels.set(path, level.set(id, state));
      }
    }
  const below = new Map<string, string[]>();
  for (const path of [...levels.keys()].sort()) {
    const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    below.set(above, [...(below.get(above) ?? []), path]);
  }
  const branchesOf = (above: string): readonly Branch[] =>
    (below.get(above) ?? []).map((path) => {
      const held = [...(levels.get(path)?.values() ?? [])];
      const name = path.slice(path.lastIndexOf('/') + 1);
      const down = held.filter((state) => state === 'Down').length;
      return { name, path, worst: worstOf(held), total: held.length, down, branches: branchesOf(path) };
    });
  return branchesOf('');
}
