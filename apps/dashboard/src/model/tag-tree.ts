import { naturally } from './natural-order.ts';
import { type DeviceState, rankOf } from './state.ts';

/** A level of tag paths, with the counts of its devices. */
export interface Branch {
  /** The last part of the path. */
  readonly name: string;
  readonly path: string;
  readonly worst: DeviceState;
  readonly total: number;
  readonly down: number;
  readonly branches: readonly Branch[];
}

interface Tagged {
  readonly id: string;
  readonly state: DeviceState;
  readonly tags: readonly string[];
}

interface LevelCounts {
  worst: DeviceState;
  total: number;
  down: number;
  /** The device that was counted last: each device counts once. */
  last: string;
}

/** The levels of all tag paths, by name. A device counts once in each level, however many tags it has below. */
export function tagTree(rows: Iterable<Tagged>): readonly Branch[] {
  const levels = new Map<string, LevelCounts>();
  for (const row of rows)
    for (const tag of row.tags)
      for (let end = tag.indexOf('/'); ; end = tag.indexOf('/', end + 1)) {
        count(levels, end < 0 ? tag : tag.slice(0, end), row);
        if (end < 0) break;
      }
  const below = new Map<string, string[]>();
  for (const path of naturally(levels.keys())) {
    const above = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    const paths = below.get(above);
    if (paths === undefined) below.set(above, [path]);
    else paths.push(path);
  }
  const branchesOf = (above: string): readonly Branch[] =>
    (below.get(above) ?? []).map((path) => {
      const { worst = 'Up', total = 0, down = 0 } = levels.get(path) ?? {};
      const name = path.slice(path.lastIndexOf('/') + 1);
      return { name, path, worst, total, down, branches: branchesOf(path) };
    });
  return branchesOf('');
}

function count(levels: Map<string, LevelCounts>, path: string, { id, state }: Tagged): void {
  const level = levels.get(path);
  if (level === undefined)
    levels.set(path, { worst: state, total: 1, down: Number(state === 'Down'), last: id });
  else if (level.last !== id) {
    level.last = id;
    level.total += 1;
    if (state === 'Down') level.down += 1;
    if (rankOf(state) < rankOf(level.worst)) level.worst = state;
  }
}

/** The branches that a tree shows, from the top, with their levels: those below an open branch. */
export function visibleBranches(
  branches: readonly Branch[],
  isOpen: (branch: Branch) => boolean,
  level = 1,
): readonly { readonly branch: Branch; readonly level: number }[] {
  return branches.flatMap((branch) => [
    { branch, level },
    ...(branch.branches.length > 0 && isOpen(branch)
      ? visibleBranches(branch.branches, isOpen, level + 1)
      : []),
  ]);
}
