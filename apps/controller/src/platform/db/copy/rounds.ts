import type { Clock } from '@vantage/kernel';
import { compareTable } from './digest.ts';
import { inTransaction } from './session.ts';
import { type CopiedTable, holdTables, readPartitions } from './tables.ts';
import { changedTables, copyChanges, copyPartitions, copyTable, type Pair } from './transfer.ts';

/** The first copy of all rows. */
export interface FirstCopy {
  readonly rows: number;
  /** Those whose rows are copied. */
  readonly partitions: ReadonlyMap<string, string>;
}

/** Holds the source as of one moment: all statements of `work` see the same rows. */
function atOneMoment<T>(pair: Pair, tables: readonly CopiedTable[], work: () => Promise<T>): Promise<T> {
  return inTransaction(pair.source, 'isolation level repeatable read read only', async () => {
    await holdTables(pair.source, tables);
    return work();
  });
}

/** Copies all rows as of one moment into the empty tables of the target. `onRows` receives their number so far. */
export function copyAll(
  pair: Pair,
  tables: readonly CopiedTable[],
  onRows: (rows: number, table: string) => void,
): Promise<FirstCopy> {
  return atOneMoment(pair, tables, async () => {
    const partitions = await readPartitions(pair.source);
    await copyPartitions(pair);
    let rows = 0;
    for (const table of tables) {
      const before = rows;
      rows += await copyTable(pair, table, (more) => onRows(before + more, table.name));
    }
    return { rows, partitions };
  });
}

/** A round of changes. */
export interface Round {
  /** Keys whose rows were copied anew. */
  readonly keys: number;
  readonly tookMs: number;
  /** The rows of each table, where the round compared all of them. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Copies what was noted since the last round: afterwards the target has the rows that the source had at the moment of
 * the round. `verifies`: compares all rows of both at this moment, and throws a Fault where they differ.
 */
export async function copyRound(
  pair: Pair,
  tables: readonly CopiedTable[],
  deps: {
    readonly clock: Pick<Clock, 'monoMs'>;
    readonly partitions: FirstCopy['partitions'];
    readonly verifies: boolean;
  },
): Promise<Round> {
  const { clock, partitions, verifies } = deps;
  const fromMs = clock.monoMs();
  let keys = 0;
  let tookMs = 0;
  const { snapshot, sizes } = await atOneMoment(pair, tables, async () => {
    const { rows } = await pair.source.query<{ seen: string }>('select pg_current_snapshot()::text as seen');
    await inTransaction(pair.target, '', async () => {
      await copyPartitions(pair, partitions);
      for (const table of await changedTables(pair.source, tables)) keys += await copyChanges(pair, table);
    });
    tookMs = clock.monoMs() - fromMs;
    return { snapshot: rows[0]?.seen ?? '', sizes: new Map(verifies ? await compareAll(pair, tables) : []) };
  });
  // Exactly what this round saw: a transaction that ends later may have noted with a smaller number.
  await pair.source.query(
    'delete from copy_changes where pg_visible_in_snapshot(xid::text::xid8, $1::pg_snapshot)',
    [snapshot],
  );
  return { keys, tookMs, sizes };
}

/** Compares all tables; returns the number of rows of each. */
async function compareAll(pair: Pair, tables: readonly CopiedTable[]): Promise<[string, number][]> {
  const all: [string, number][] = [];
  for (const table of tables) all.push([table.name, await compareTable(pair, table)]);
  return all;
}
