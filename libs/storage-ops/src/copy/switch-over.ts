import type { Clock } from '@vantage/kernel';
import { stateOf } from '@vantage/storage/pg-error';
import { quoted } from '../sql/quoted-names.ts';
import { compareChanges, compareTable } from './compare-tables.ts';
import { type CopiedTable, lockTablesForReading, readReferences } from './copied-tables.ts';
import { locks } from './copy-session.ts';
import { changeState, writeMove } from './database-moves.ts';
import { maxWriterWaitMs } from './decide-copy.ts';
import { type CopyPair, changedTables, copyChanges, copyPartitions, copySequences } from './transfer-rows.ts';

/** A larger table was compared completely before, so only its changed rows are compared while writers wait. */
const maxSmallTableRows = 50_000;
/** A lock timeout, a deadlock, a statement timeout. */
const lateStates = ['55P03', '40P01', '57014'];

class Late extends Error {}

interface SwitchDeps {
  readonly pair: CopyPair;
  readonly tables: readonly CopiedTable[];
  readonly partitions: ReadonlyMap<string, string>;
  /** The rows of each table when all were compared. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly move: { readonly copyId: string; readonly target: string; readonly sealed: Buffer | null };
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/**
 * Stops the writers of the source, copies the last changes, compares, and replaces the source by the copy. Returns how
 * long the writers waited, ms; undefined: it would have taken too long, and the writers continue on the source.
 */
export async function switchOver(deps: SwitchDeps): Promise<number | undefined> {
  const { pair, move, clock } = deps;
  const { source, target } = pair;
  let isPrepared = false;
  try {
    await source.query(
      `begin; set local lock_timeout = '5s'; set local statement_timeout = '${maxWriterWaitMs}ms'`,
    );
    await source.query('select pg_advisory_xact_lock($1, $2)', [locks.family, locks.writers]);
    const fromMs = clock.monoMs();
    await lockTablesForReading(source, deps.tables);
    await target.query(`begin; set local statement_timeout = '${maxWriterWaitMs}ms'`);
    await prepare(deps, () => {
      if (clock.monoMs() - fromMs > maxWriterWaitMs) throw new Late();
    });
    await changeState(target, move.copyId, 'unfinished', 'prepared');
    await target.query('commit');
    isPrepared = true;
    deps.say('the copy is complete and compared');
    await writeMove(source, { state: 'moved', ...move, atUs: clock.nowUs() });
    await source.query('commit');
    return clock.monoMs() - fromMs;
  } catch (error) {
    await Promise.all([source, target].map((client) => client.query('rollback').catch(() => undefined)));
    if (isPrepared || !(error instanceof Late || lateStates.includes(stateOf(error)))) throw error;
    return undefined;
  }
}

/** Copies the last changes to the target, compares them, and adds references, triggers and sequences. */
async function prepare(
  { pair, tables, partitions, sizes }: SwitchDeps,
  checkTime: () => void,
): Promise<void> {
  await copyPartitions(pair, partitions);
  const changed = await changedTables(pair.source, tables);
  for (const table of changed) {
    await copyChanges(pair, table);
    checkTime();
  }
  await copySequences(pair);
  for (const table of tables) {
    if ((sizes.get(table.name) ?? 0) <= maxSmallTableRows) await compareTable(pair, table);
    else if (changed.includes(table)) await compareChanges(pair, table);
    checkTime();
  }
  await makeReferences(pair);
  for (const { name } of tables) await pair.target.query(`alter table ${quoted(name)} enable trigger user`);
  checkTime();
}

/** Adds the references of the source to the target; they are validated when the copy is in use. */
async function makeReferences({ source, target }: CopyPair): Promise<void> {
  const existing = await readReferences(target);
  for (const [name, text] of await readReferences(source))
    if (!existing.has(name)) await target.query(`${text} not valid`);
}
