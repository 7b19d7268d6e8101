import { Fault } from '@vantage/kernel';

/** The migration that creates the tables of version 0.2.0 in a new database (docs/adr/0024-migration-baseline.md). */
export const baseline = '0042-baseline';

/** The baseline replaces the migrations with the numbers 1 to 42, which together created the same tables. */
const replaced = 42;

export function olderThanBaseline(): Fault {
  const why =
    'the database is of a version before 0.2.0, and nothing in it is changed: start version 0.2.0 (commit 87d113c) on it once, then this version';
  return new Fault('stop', 'database_older', why);
}

/**
 * The migrations of a database by the names of this version: the baseline instead of all that it replaces. Throws a
 * Fault where only some of these are recorded, because this version does not have the others. Pure.
 */
export function withBaseline(recorded: readonly string[]): readonly string[] {
  const isReplaced = (name: string) => Number(name.slice(0, 4)) <= replaced && name !== baseline;
  const count = recorded.filter(isReplaced).length;
  if (count === 0) return recorded;
  if (count < replaced) throw olderThanBaseline();
  return [baseline, ...recorded.filter((name) => name !== baseline && !isReplaced(name))];
}
