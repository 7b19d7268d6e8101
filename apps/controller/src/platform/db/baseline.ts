import { Fault } from '@vantage/kernel';

/** The migration that makes the tables of version 0.2.0 in a new database (docs/adr/0024-migration-baseline.md). */
export const baseline = '0042-baseline';

/** It stands for the migrations with the numbers 1 to 42, which made the same tables one by one. */
const replaced = 42;

/** The refusal of a database that is older than the baseline. */
export function tooOld(): Fault {
  const why =
    'the database is of a version before 0.2.0, and nothing in it is changed: start version 0.2.0 (commit 87d113c) on it once, then this version';
  return new Fault('stop', 'database_older', why);
}

/**
 * The migrations of a database in the names of this version: all those that the baseline stands for are the baseline.
 * Throws a Fault where only some of them are recorded, because this version does not have the others. Pure.
 */
export function withBaseline(recorded: readonly string[]): readonly string[] {
  const isReplaced = (name: string) => Number(name.slice(0, 4)) <= replaced && name !== baseline;
  const count = recorded.filter(isReplaced).length;
  if (count === 0) return recorded;
  if (count < replaced) throw tooOld();
  return [baseline, ...recorded.filter((name) => name !== baseline && !isReplaced(name))];
}
