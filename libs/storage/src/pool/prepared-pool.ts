import type { Duplex } from 'node:stream';
import { declareState } from '@vantage/kernel';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { CopyData, copyIn } from '../rows/copy-in.ts';
import type { StatementLimit } from './statement-limit.ts';

/** A connection prepares a statement when it runs it for the third time. */
const preparedFromRun = 3;
/** Limits the memory of the server, where each connection keeps the plans of its prepared statements. */
const maxTexts = 200;

/** A statement for node-postgres; with a name it is prepared. */
interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

const tracked = declareState({
  name: 'prepared_statements',
  entries: maxTexts,
  entryBytes: 40_000,
  filledBy: 'the program',
  atBound: 'further statements are not prepared',
});

/**
 * Creates the function that decides how one connection runs a statement. A frequent statement is prepared, so that
 * PostgreSQL parses and plans it once: planning a read with many joins costs more than running it. After five runs
 * PostgreSQL decides whether one plan fits all parameters (`plan_cache_mode`, by default `auto`).
 */
export function createPreparer(): (text: string, values: readonly unknown[]) => Statement {
  const known = tracked(new Map<string, { readonly name: string; runs: number }>());
  return (text, values) => {
    const statement = { text, values: [...values] };
    if (values.length === 0) return statement;
    const entry = known.get(text) ?? { name: `vantage_${known.size}`, runs: 0 };
    if (entry.runs === 0 && known.size >= maxTexts) return statement;
    known.set(text, entry);
    entry.runs += 1;
    return entry.runs < preparedFromRun ? statement : { ...statement, name: entry.name };
  };
}

/**
 * The pool for Kysely. Its connections prepare the statements that they run often. Each message wakes the server, which
 * costs more than a small statement. Therefore BEGIN is sent together with the first statement of its transaction, a
 * transaction without statements sends nothing, and the statements of one turn of the event loop are one write
 * (`pipelined.ts`). `limitOf` has the limit of a connection.
 */
export function preparingPool(
  pool: pg.Pool,
  limitOf: (client: pg.PoolClient) => StatementLimit | undefined,
): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      // Kysely never returns a connection that was opened during its destruction, and the pool would wait for it.
      if (pool.ending) {
        client.release();
        throw new Error('the connections to the database are being closed');
      }
      const wrapped = clients.get(client) ?? wrap(client, limitOf(client));
      clients.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

function wrap(client: pg.PoolClient, limit: StatementLimit | undefined): PostgresPoolClient {
  const prepare = createPreparer();
  const gather = gatherWrites(client.connection.stream);
  const send = (text: string, values: readonly unknown[] = []) => {
    gather();
    const [data] = values;
    const answer =
      data instanceof CopyData ? copyIn(client, text, data) : client.query(prepare(text, values));
    return limit?.of<unknown>(answer) ?? answer;
  };
  let toBegin = false;
  const run = async (text: string, values?: readonly unknown[]) => {
    const begins = toBegin;
    toBegin = text === 'begin';
    if (toBegin || (begins && (text === 'commit' || text === 'rollback'))) return emptyAnswer(text);
    if (!begins) return send(text, values);
    const [, result] = await Promise.all([send('begin'), send(text, values)]);
    return result;
  };
  return {
    // Kysely's type has an overload for cursors, which are not used here; `never` fits both overloads.
    query: (text: unknown, values?: readonly unknown[]) => run(String(text), values) as never,
    // node-postgres replaces `release` at each checkout of the connection.
    release: () => {
      toBegin = false;
      client.release();
    },
  };
}

/** The answer to a statement that was not sent. */
function emptyAnswer(text: string) {
  return { command: text.toUpperCase(), rowCount: 0, rows: [] };
}

/**
 * Creates a function that corks the stream until the end of this turn of the event loop, so that the statements of the
 * turn are one write, which wakes the server once.
 */
function gatherWrites(stream: Pick<Duplex, 'cork' | 'uncork'>): () => void {
  let isGathering = false;
  const end = () => {
    isGathering = false;
    stream.uncork();
  };
  return () => {
    if (isGathering) return;
    isGathering = true;
    stream.cork();
    process.nextTick(end);
  };
}
