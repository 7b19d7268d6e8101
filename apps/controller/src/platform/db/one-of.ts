import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a column has one of these values. A single one is compared by itself: an index on the column then gives its
 * rows in the order of the columns that follow it.
 */
export function isOneOf(
  column: RawBuilder<unknown>,
  values: readonly string[] | readonly number[],
  type: 'int' | 'text',
): RawBuilder<boolean> {
  const [first] = values;
  return values.length === 1
    ? sql<boolean>`${column} = ${first}::${sql.raw(type)}`
    : sql<boolean>`${column} = any(${values}::${sql.raw(type)}[])`;
}
