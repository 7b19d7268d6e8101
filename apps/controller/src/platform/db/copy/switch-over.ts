import type { Clock } from '@vantage/kernel';
import { quoted } from '../backup/snapshot.ts';
import { stateOf } from '../pg-error.ts';
import { compareChanges, compareTable } from './digest.ts';
import { changeState, writeMark } from './marks.ts';
import { locks } from './session.ts';
import { longestHoldMs } from './states.ts';
import { type CopiedTable, holdTables, readReferences } from './tables.ts';
import { changedTables, copyChanges, copyPartitions, copySequences, type Pair } from './transfer.ts';

/** A table of more rows was compared in whole before; then its changed rows are compared while writers wait. */
const smallRows = 50_000;
/** A lock that was not given in time, a deadlock, a statement that took too long. */
const lateStates = ['55P03', '40P01', '57014'];

class Late extends Error {}

/** The parts of a switch. */
export interface SwitchDeps {
  readonly pair: Pair;
  readonly tables: readonly CopiedTable[];
  readonly partitions: ReadonlyMap<string, string>;
  /** The rows of each table when all were compared. */
  readonly sizes: ReadonlyMap<string, number>;
  readonly mark: { readonly copyId: string; readonly target: string; readonly sealed: Buffer | null };
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/**
 * Stops the writers of the source, copies the last changes, compares, and gives the source up for the copy. Returns how
 * long the writers waited, ms; undefined: it would have taken too long, and they go on.
 */
export async function switchOver(deps: SwitchDeps): Promise<number | undefined> {
  const { pair, mark, clock } = deps;
  const { source, target } = pair;
  let isPrepared = false;
  try {
    await source.query(
      `begin; set local lock_timeout = '5s'; set local statement_timeout = '${longestHoldMs}ms'`,
    );
    await source.query('select pg_advisory_xact_lock($1, $2)', [locks.family, locks.gate]);
    const fromMs = clock.monoMs();
    await holdTables(source, deps.tables);
    await target.query(`begin; set local statement_timeout = '${longestHoldMs}ms'`);
    await prepare(deps, () => {
      if (clock.monoMs() - fromMs > longestHoldMs) throw new Late();
    });
    await changeState(target, mark.copyId, 'unfinished', 'prepared');
    await target.query('commit');
    isPrepared = true;
    deps.say('the copy is whole and compared');
    await writeMark(source, { state: 'moved', ...mark, atUs: clock.nowUs() });
    await source.query('commit');
    return clock.monoMs() - fromMs;
  } catch (error) {
    await Promise.all([source, target].map((client) => client.query('rollback').catch(() => undefined)));
    if (isPrepared || !(error instanceof Late || lateStates.includes(stateOf(error)))) throw error;
    return undefined;
  }
}

/** Brings the last changes to the target, compares them, and gives it references, triggers and numbers. */
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
    if ((sizes.get(table.name) ?? 0) <= smallRows) await compareTable(pair, table);
    else if (changed.includes(table)) await compareChanges(pair, table);
    checkTime();
  }
  await makeReferences(pair);
  for (const { name } of tables) await pair.target.query(`alter table ${quoted(name)} enable trigger user`);
  checkTime();
}

/** Gives the target the references of the source; they are validated when the copy is in use. */
async function makeReferences({ source, target }: Pair): Promise<void> {
  const there = await readReferences(target);
  for (const [name, text] of await readReferences(source))
    if (!there.has(name)) await target.query(`${text} not valid`);
}
