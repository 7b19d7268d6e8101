import { declareState } from '@vantage/kernel';
import { CompiledQuery, PostgresDialect } from 'kysely';
import pg from 'pg';
import { numberArrays, readNumberArray } from './number-arrays.ts';
import { preparingPool } from './prepared-pool.ts';

/** A stalled process blocks others no longer than this, ms. */
export const timeoutMs = 5_000;
const idleMs = 300_000;
/** Statements whose text changes from day to day stay prepared no longer than their connection. */
const lifetimeS = 12 * 3_600;

/**
 * Whatever the server's defaults are: an acknowledgement means that the commit is on disk, and a statement after a lock
 * reads what the holder before committed. A pooler refuses connections that begin with these settings, so they follow.
 */
const sessionSettings = `select ${Object.entries({
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: `${timeoutMs}ms`,
  lock_timeout: `${timeoutMs}ms`,
  idle_in_transaction_session_timeout: `${timeoutMs}ms`,
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}`;

const tracked = declareState({
  name: 'database_connections',
  entries: 10,
  entryBytes: 20_000,
  filledBy: 'statements',
  atBound: 'work waits for a connection',
});

/** Connections to one server, and Kysely's dialect on them. */
export interface OpenPool {
  readonly config: pg.ClientConfig;
  readonly pool: pg.Pool;
  readonly dialect: PostgresDialect;
  /** Connections that were opened since the start. */
  readonly opened: number;
  /** Breaks all connections at once: statements that wait for an answer fail. */
  cut(): void;
}

/** Creates the pool; no connection is opened yet. `name` is the application that the server shows. */
export function openPool({
  url,
  log,
  poolSize,
  name,
}: {
  readonly url: string;
  readonly log: { warn(data: object, text: string): void };
  readonly poolSize: number;
  readonly name: string;
}): OpenPool {
  const config: pg.ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    application_name: name,
    types: numbersForBigints(),
  };
  // A new connection loads its caches again, and the first request after a quiet moment would wait for it.
  const limits = { max: poolSize, idleTimeoutMillis: idleMs, maxLifetimeSeconds: lifetimeS };
  const pool = new pg.Pool({ ...config, ...limits, pipeline: true });
  // Without listeners, a connection that the server ends would end this process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'an idle database connection broke'));
  const clients = tracked(new Set<pg.PoolClient>());
  let opened = 0;
  pool.on('connect', (client) => {
    opened += 1;
    clients.add(client);
    client.on('error', () => {});
  });
  pool.on('remove', (client) => clients.delete(client));
  const dialect = new PostgresDialect({
    pool: preparingPool(pool),
    onCreateConnection: async (fresh) => {
      await fresh.executeQuery(CompiledQuery.raw(sessionSettings));
    },
  });
  return {
    config,
    pool,
    dialect,
    get opened() {
      return opened;
    },
    cut() {
      for (const { connection } of clients) connection.stream.destroy();
    },
  };
}

/**
 * Reads int8 as a number, because microseconds since 1970 stay below 2^53 until the year 2255, and arrays of numbers
 * fast. Other types stay as node-postgres reads them.
 */
function numbersForBigints(): pg.CustomTypesConfig {
  const overrides = new pg.TypeOverrides();
  overrides.setTypeParser(20, Number);
  for (const oid of numberArrays) overrides.setTypeParser(oid, (text: string) => readNumberArray(oid, text));
  return overrides;
}
