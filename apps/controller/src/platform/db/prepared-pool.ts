import type { Duplex } from 'node:stream';
import { declareState } from '@vantage/kernel';
import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { CopyData, copyIn } from './copy-rows.ts';

/** A connection prepares a statement when it runs it for the third time. */
const preparedFrom = 3;
/**
 * Further texts stay unprepared: PostgreSQL keeps the plan of each prepared statement in the memory of the connection.
 */
const maxTexts = 200;

/** One statement as node-postgres runs it; with a name it is prepared. */
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
 * Creates the function that says how one connection runs a statement. A statement that comes again and again is
 * prepared, so that PostgreSQL parses and plans it once: planning a read with many joins costs more than running it.
 * PostgreSQL itself decides after five runs whether one plan fits all parameters (`plan_cache_mode`, its default is
 * `auto`).
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
    return entry.runs < preparedFrom ? statement : { ...statement, name: entry.name };
  };
}

/**
 * The pool for Kysely: its connections prepare the statements that they run often. Each message to the server wakes it,
 * which costs more than a small statement itself. So BEGIN goes out with the first statement of its transaction, a
 * transaction without statements sends nothing, and statements of one turn of the event loop are one write
 * (`pipelined.ts`).
 */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      // Kysely gives no connection back that was opened while it was destroyed, and the pool would wait for it for
      // ever.
      if (pool.ending) {
        client.release();
        throw new Error('the connections to the database are being closed');
      }
      const wrapped = clients.get(client) ?? wrap(client);
      clients.set(client, wrapped);
      return wrapped;
    },
    end: () => pool.end(),
  };
}

function wrap(client: pg.PoolClient): PostgresPoolClient {
  const prepare = createPreparer();
  const gather = gatherWrites(client.connection.stream);
  const send = (text: string, values: readonly unknown[] = []) => {
    gather();
    const [data] = values;
    return data instanceof CopyData ? copyIn(client, text, data) : client.query(prepare(text, values));
  };
  let toBegin = false;
  const run = async (text: string, values?: readonly unknown[]) => {
    const begins = toBegin;
    toBegin = text === 'begin';
    if (toBegin || (begins && (text === 'commit' || text === 'rollback'))) return nothing(text);
    if (!begins) return send(text, values);
    const [, result] = await Promise.all([send('begin'), send(text, values)]);
    return result;
  };
  return {
    // Kysely's type has a second form, for cursors. Nothing here opens one, and `never` fits both forms.
    query: (text: unknown, values?: readonly unknown[]) => run(String(text), values) as never,
    // node-postgres replaces `release` each time somebody borrows the connection.
    release: () => {
      toBegin = false;
      client.release();
    },
  };
}

/** The answer to a statement that was not sent. */
function nothing(text: string) {
  return { command: text.toUpperCase(), rowCount: 0, rows: [] };
}

/**
 * Creates a function after which all that is written until the end of this turn of the event loop is one write, which
 * wakes the server once.
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
