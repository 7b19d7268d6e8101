interface ConsequenceFacts {
  readonly id: string;
  readonly state: string;
  /** The id of its master, if that is Down. */
  readonly downBecause: string | null;
}

/** Why a device is Down, and what is Down because of it. */
export interface Consequence<Row extends ConsequenceFacts> {
  /** The device at the end of its masters that are Down; undefined: it is Down by itself, or not Down. */
  readonly cause: Row | undefined;
  /** The number of devices that are Down because of it. */
  readonly behind: number;
}

/** The masters of a device that are Down, nearest first; a circle of masters ends where it began. */
function mastersOf<Row extends ConsequenceFacts>(row: Row, byId: ReadonlyMap<string, Row>): readonly Row[] {
  const masters: Row[] = [];
  for (let id = row.downBecause; id !== null; ) {
    const master = byId.get(id);
    if (master === undefined || master === row || masters.includes(master)) break;
    masters.push(master);
    id = master.downBecause;
  }
  return masters;
}

/** The cause and the consequences of the status of a device among all devices. Pure. */
export function consequenceOf<Row extends ConsequenceFacts>(
  id: string,
  rows: readonly Row[],
): Consequence<Row> {
  const down = rows.filter(({ state }) => state === 'Down');
  const byId = new Map(down.map((row) => [row.id, row]));
  const own = byId.get(id);
  if (own === undefined) return { cause: undefined, behind: 0 };
  const behind = down.filter((row) => row !== own && mastersOf(row, byId).includes(own)).length;
  return { cause: mastersOf(own, byId).at(-1), behind };
}
