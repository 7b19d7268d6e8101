import type { Clock } from '@vantage/kernel';
import { compareTable } from './compare-tables.ts';
import { type CopiedTable, lockTablesForReading, readPartitions } from './copied-tables.ts';
import { inTransaction } from './copy-session.ts';
import { type CopyPair, changedTables, copyChanges, copyPartitions, copyTable } from './transfer-rows.ts';

/** The first copy of all rows. */
export interface FirstCopy {
  readonly rows: number;
  /** The partitions whose rows are copied. */
  readonly partitions: ReadonlyMap<string, string>;
}

/** Runs `work` in a snapshot of the source: all its statements see the same rows. */
function inSnapshot<T>(pair: CopyPair, tables: readonly CopiedTable[], work: () => Promise<T>): Promise<T> {
  return inTransaction(pair.source, 'isolation level repeatable read read only', async () => {
    await lockTablesForReading(pair.source, tables);
    return work();
  });
}

/** Copies all rows of one snapshot into the empty tables of the target. `onRows` receives their number so far. */
export function copyAll(
  pair: CopyPair,
  tables: readonly CopiedTable[],
  onRows: (rows: number, table: string) => void,
): Promise<FirstCopy> {
  return inSnapshot(pair, tables, async () => {
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
export interface CopyRound {
  /** Keys whose rows were copied again. */
  readonly keys: number;
  readonly tookMs: number;
  /** The rows of each table, where the round compared all of them. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Copies the changes that were recorded since the last round. Afterwards the target has the rows of the source's
 * snapshot. `verifies`: compares all rows in this snapshot, and throws a Fault when they differ.
 */
export async function copyRound(
  pair: CopyPair,
  tables: readonly CopiedTable[],
  deps: {
    readonly clock: Pick<Clock, 'monoMs'>;
    readonly partitions: FirstCopy['partitions'];
    readonly verifies: boolean;
  },
): Promise<CopyRound> {
  const { clock, partitions, verifies } = deps;
  const fromMs = clock.monoMs();
  let keys = 0;
  let tookMs = 0;
  const { snapshot, sizes } = await inSnapshot(pair, tables, async () => {
    const { rows } = await pair.source.query<{ seen: string }>('select pg_current_snapshot()::text as seen');
    await inTransaction(pair.target, '', async () => {
      await copyPartitions(pair, partitions);
      for (const table of await changedTables(pair.source, tables)) keys += await copyChanges(pair, table);
    });
    tookMs = clock.monoMs() - fromMs;
    return { snapshot: rows[0]?.seen ?? '', sizes: new Map(verifies ? await compareAll(pair, tables) : []) };
  });
  // Exactly the changes in the snapshot: a transaction that ends later may have a smaller number.
  await pair.source.query(
    'delete from copy_changes where pg_visible_in_snapshot(xid::text::xid8, $1::pg_snapshot)',
    [snapshot],
  );
  return { keys, tookMs, sizes };
}

/** Compares all tables; returns the number of rows of each. */
async function compareAll(pair: CopyPair, tables: readonly CopiedTable[]): Promise<[string, number][]> {
  const all: [string, number][] = [];
  for (const table of tables) all.push([table.name, await compareTable(pair, table)]);
  return all;
}
