import { declareState } from '@vantage/kernel';
import { CompiledQuery, PostgresDialect } from 'kysely';
import pg from 'pg';
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

/**
 * Types of arrays that are read as numbers, by oid: int2[], int4[], int8[], float4[] and float8[]. An int8 stays below
 * 2^53 here, alone and in an array.
 */
export const numberArrays: readonly number[] = [1005, 1007, 1016, 1021, 1022];

/**
 * Reads an array of numbers. A statement may return thousands of histograms, and the parser of node-postgres, which
 * makes a text of each number, costs many times as much. It reads what is rare: NULL, NaN, bounds (`[0:1]={1,2}`),
 * fractions in more than one dimension. Pure.
 */
export function readNumberArray(oid: number, text: string): unknown {
  const isFraction = oid === 1021 || oid === 1022;
  return (
    (isFraction ? readFractions(text) : readWholes(text)) ?? numbersOf(pg.types.getTypeParser(oid)(text))
  );
}

/** node-postgres reads an int8 as text. */
function numbersOf(read: unknown): unknown {
  if (Array.isArray(read)) return read.map(numbersOf);
  return typeof read === 'string' ? Number(read) : read;
}

function readFractions(text: string): number[] | undefined {
  return /^\{[0-9.e+,-]+\}$/.test(text) ? text.slice(1, -1).split(',').map(Number) : undefined;
}

const [zero, nine, comma, minus, open, close] = [48, 57, 44, 45, 123, 125];

/** An array of whole numbers of any dimension; undefined: something else is in it. */
function readWholes(text: string): unknown[] | undefined {
  const root: unknown[] = [];
  const above: unknown[][] = [];
  let [array, value, sign, isNumber] = [root, 0, 1, false];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code >= zero && code <= nine) {
      value = value * 10 + code - zero;
      isNumber = true;
    } else if (code === minus) sign = -1;
    else if (code === open) {
      const inner: unknown[] = [];
      array.push(inner);
      above.push(array);
      array = inner;
    } else if (code === comma || code === close) {
      if (isNumber) array.push(sign * value);
      [value, sign, isNumber] = [0, 1, false];
      if (code === close) array = above.pop() ?? root;
    } else return undefined;
  }
  const [whole] = root;
  return Array.isArray(whole) ? whole : undefined;
}
