import type { PostgresPool, PostgresPoolClient } from 'kysely';
import type pg from 'pg';
import { CopyData, copyIn } from './copy-rows.ts';

/** A connection prepares a statement when it runs it for the third time. */
const preparedFrom = 3;
/** Further texts stay unprepared: PostgreSQL keeps the plan of each prepared statement in the memory of the connection. */
const maxTexts = 200;

/** One statement as node-postgres runs it; with a name it is prepared. */
interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/**
 * Makes the function that says how one connection runs a statement. A statement that comes again and again is prepared, so that
 * PostgreSQL parses and plans it once: planning a read with many joins costs more than running it. PostgreSQL itself decides
 * after five runs whether one plan fits all parameters (`plan_cache_mode`, its default is `auto`).
 */
export function createPreparer(): (text: string, values: readonly unknown[]) => Statement {
  const known = new Map<string, { readonly name: string; runs: number }>();
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

/** The pool for Kysely: its connections prepare the statements that they run often. */
export function preparingPool(pool: pg.Pool): PostgresPool {
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      // Kysely gives no connection back that was opened while it was destroyed, and the pool would wait for it for ever.
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
  return {
    // Kysely's type has a second form, for cursors. Nothing here opens one, and `never` fits both forms.
    query: (text: unknown, values?: readonly unknown[]) => {
      const data = values?.[0];
      return (
        data instanceof CopyData
          ? copyIn(client, String(text), data)
          : client.query(prepare(String(text), values ?? []))
      ) as never;
    },
    // node-postgres replaces `release` each time somebody borrows the connection.
    release: () => client.release(),
  };
}
