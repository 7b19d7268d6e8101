import { type RawBuilder, sql } from 'kysely';

/**
 * Whether a column has one of these values. A single value is compared with `=`, so that an index on the column returns
 * the rows in the order of its further columns.
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
