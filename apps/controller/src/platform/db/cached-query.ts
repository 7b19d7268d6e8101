import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely';
import type { Tables } from './schema.ts';

/** A statement without its values: at these places of the parameters stands the value with that number. */
interface CachedQuery {
  readonly text: string;
  readonly parameters: readonly unknown[];
  readonly places: ReadonlyMap<number, number>;
}

/** Statements of one database; more begin anew. */
const most = 200;
const statements = new WeakMap<Kysely<Tables>, Map<string, CachedQuery>>();

/**
 * Runs a statement that many requests send with other numbers. To make the text of a long statement costs as much as to
 * read its rows, so it is made once for a key. `build` must give the same text for all values under this key, and put
 * each value into parameters as it is; a statement that does something else with them is refused with a TypeError.
 */
export async function executeKept<Row>(
  kysely: Kysely<Tables>,
  key: string,
  values: readonly number[],
  build: (values: readonly number[]) => RawBuilder<Row>,
): Promise<readonly Row[]> {
  const kept = findStatement(kysely, key) ?? keep(kysely, key, makeStatement(kysely, values.length, build));
  const parameters = kept.parameters.map((parameter, at) => {
    const place = kept.places.get(at);
    return place === undefined ? parameter : values[place];
  });
  const { rows } = await kysely.executeQuery<Row>(CompiledQuery.raw(kept.text, parameters));
  return rows;
}

function findStatement(kysely: Kysely<Tables>, key: string): CachedQuery | undefined {
  return statements.get(kysely)?.get(key);
}

function keep(kysely: Kysely<Tables>, key: string, statement: CachedQuery): CachedQuery {
  const known = statements.get(kysely) ?? new Map<string, CachedQuery>();
  if (known.size >= most) known.clear();
  statements.set(kysely, known.set(key, statement));
  return statement;
}

/** Builds it with two sets of numbers that no statement has otherwise, and finds where they stand. */
function makeStatement(
  kysely: Kysely<Tables>,
  values: number,
  build: (values: readonly number[]) => RawBuilder<unknown>,
): CachedQuery {
  const marks = Array.from({ length: values }, (_, at) => -1 - at);
  const others = marks.map((mark) => mark - values);
  const { sql: text, parameters } = build(marks).compile(kysely);
  const again = build(others).compile(kysely);
  const places = new Map<number, number>();
  const isSame = parameters.every((parameter, at) => {
    const place = typeof parameter === 'number' ? marks.indexOf(parameter) : -1;
    if (place >= 0) places.set(at, place);
    return JSON.stringify(again.parameters[at]) === JSON.stringify(place < 0 ? parameter : others[place]);
  });
  if (text !== again.sql || !isSame)
    throw new TypeError(`a statement whose text is kept depends on its values: ${text.slice(0, 200)}`);
  return { text, parameters, places };
}
