import type { DeviceState } from './state.ts';

interface CausalFacts {
  readonly id: string;
  readonly state: DeviceState;
  readonly sinceMs: number;
  /** The id of its master, if that is Down. */
  readonly downBecause: string | null;
}

/** A device that is Down by itself, with the devices that are Down because of it. */
export interface Cause<Row extends CausalFacts> {
  readonly row: Row;
  readonly behind: readonly Row[];
}

/**
 * Groups devices that are Down by the master that explains them. The cause with the most devices behind it comes first,
 * then the one that has been Down for longest.
 */
export function causesOf<Row extends CausalFacts>(rows: readonly Row[]): readonly Cause<Row>[] {
  const down = rows.filter(({ state }) => state === 'Down');
  const byId = new Map(down.map((row) => [row.id, row]));
  const rootOf = (row: Row): Row => {
    const path = [row];
    for (let device = row; ; ) {
      const master = device.downBecause === null ? undefined : byId.get(device.downBecause);
      if (master === undefined) return device;
      const circle = path.slice(path.indexOf(master));
      // In a circle of masters, the one with the first id counts as the cause.
      if (path.includes(master)) return circle.reduce((first, next) => (next.id < first.id ? next : first));
      path.push(master);
      device = master;
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
