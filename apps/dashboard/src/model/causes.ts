import type { State } from './state.ts';

interface Facts {
  readonly id: string;
  readonly state: State;
  readonly sinceMs: number;
  /** The id of its master, where that is Down. */
  readonly downBecause: string | null;
}

/** A device that is Down of itself, with those that are Down because of it. */
export interface Cause<Row extends Facts> {
  readonly row: Row;
  readonly behind: readonly Row[];
}

/**
 * Puts devices that are Down under the master that explains them. The cause with the most devices behind it comes
 * first, then the one that is Down for longest.
 */
export function causesOf<Row extends Facts>(rows: readonly Row[]): readonly Cause<Row>[] {
  const down = rows.filter(({ state }) => state === 'Down');
  const byId = new Map(down.map((row) => [row.id, row]));
  const rootOf = (row: Row): Row => {
    const way = [row];
    for (let at = row; ; ) {
      const master = at.downBecause === null ? undefined : byId.get(at.downBecause);
      if (master === undefined) return at;
      const circle = way.slice(way.indexOf(master));
      // In a circle of masters the first by its id stands for all.
      if (way.includes(master)) return circle.reduce((least, each) => (each.id < least.id ? each : least));
      way.push(master);
      at = master;
    }
  };
  const behind = new Map<string, Row[]>();
  for (const row of down) {
    const root = rootOf(row);
    const list = behind.get(root.id) ?? [];
    if (root.id !== row.id) list.push(row);
    behind.set(root.id, list);
  }
  return down
    .filter(({ id }) => behind.has(id))
    .map((row) => ({ row, behind: behind.get(row.id) ?? [] }))
    .sort(
      (a, b) =>
        b.behind.length - a.behind.length || a.row.sinceMs - b.row.sinceMs || (a.row.id < b.row.id ? -1 : 1),
    );
}
