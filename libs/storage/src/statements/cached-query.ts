import { declareState, LRUCache } from '@vantage/kernel';
import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** A compiled statement. `valueAt` has the index of the value for each parameter that depends on the values. */
interface CachedQuery {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly valueAt: ReadonlyMap<number, number>;
}

const maxStatements = 200;

const tracked = declareState({
  name: 'statement_texts',
  entries: maxStatements,
  entryBytes: 12_000,
  filledBy: 'the program',
  atBound: 'the least recently used is built again',
});

/** By key. A text is the same in each database and transaction. */
const statements = tracked(new LRUCache<string, CachedQuery>({ max: maxStatements }));

/** A value of a statement: it becomes a parameter as it is. */
type Value = number | string | readonly number[];

/**
 * Runs a statement that many requests send with different values. Building the text of a long statement costs as much
 * as reading its rows, so each key caches one text. For all values under a key, `build` must return the same text and
 * use each value as a parameter without changing it; otherwise this throws a TypeError.
 */
export async function executeCached<Row, const Values extends readonly Value[]>(
  kysely: Kysely<Tables>,
  key: string,
  values: Values,
  build: (values: Values) => RawBuilder<Row>,
): Promise<readonly Row[]> {
  const cached = statements.get(key) ?? compile(kysely, values, build);
  statements.set(key, cached);
  const parameters = cached.parameters.map((parameter, at) => {
    const index = cached.valueAt.get(at);
    return index === undefined ? parameter : values[index];
  });
  const { rows } = await kysely.executeQuery<Row>(CompiledQuery.raw(cached.text, parameters));
  return rows;
}

/** A value of the same type that no statement contains. */
function placeholderOf(value: Value, no: number): Value {
  if (typeof value === 'number') return no;
  return typeof value === 'string' ? `placeholder ${no}` : [no];
}

/** Builds the statement with two sets of placeholders, and finds the parameters that contain them. */
function compile<const Values extends readonly Value[]>(
  kysely: Kysely<Tables>,
  values: Values,
  build: (values: Values) => RawBuilder<unknown>,
): CachedQuery {
  const placeholders: readonly unknown[] = values.map((value, at) => placeholderOf(value, -1 - at));
  const otherPlaceholders: readonly unknown[] = values.map((value, at) =>
    placeholderOf(value, -1 - at - values.length),
  );
  const { sql: text, parameters } = build(placeholders as Values).compile(kysely);
  const other = build(otherPlaceholders as Values).compile(kysely);
  const valueAt = new Map<number, number>();
  const isSame = parameters.every((parameter, at) => {
    const index = placeholders.indexOf(parameter);
    if (index >= 0) valueAt.set(at, index);
    return (
      JSON.stringify(other.parameters[at]) ===
      JSON.stringify(index < 0 ? parameter : otherPlaceholders[index])
    );
  });
  if (text !== other.sql || !isSame)
    throw new TypeError(`a cached statement depends on its values: ${text.slice(0, 200)}`);
  return { text, parameters, valueAt };
}
