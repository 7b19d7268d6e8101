import { Socket } from 'node:net';
import { declareState } from '@vantage/kernel';
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { answerMs, clientConfig, timeoutMs } from './client-config.ts';
import { ConnectionCut, cutConnection } from './connection-cut.ts';
import { numberArrays, readNumberArray } from './number-arrays.ts';
import { preparingPool } from './prepared-pool.ts';
import { createRunningStatements } from './running-statements.ts';
import { ownSession, readSession, type Session } from './session.ts';
import { createStatementLimit, type StatementLimit } from './statement-limit.ts';

const idleMs = 300_000;
/** Limits how long a statement whose text changes from day to day stays prepared. */
const lifetimeS = 12 * 3_600;

/**
 * Independent of the server's defaults: an acknowledgement means that the commit is on disk, and a statement that
 * waited for a lock reads what the previous owner of the lock committed. A pooler refuses connections that start with
 * these settings, so a statement sets them afterwards.
 */
const sessionSettings = `select ${Object.entries({
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  statement_timeout: `${timeoutMs}ms`,
  lock_timeout: `${timeoutMs}ms`,
  idle_in_transaction_session_timeout: `${timeoutMs}ms`,
})
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}, ${ownSession}`;

const tracked = declareState({
  name: 'database_connections',
  entries: 10,
  entryBytes: 20_000,
  filledBy: 'statements',
  atBound: 'work waits for a connection',
});

/** The connections to one server, and Kysely's dialect on them. */
export interface OpenPool {
  readonly config: pg.ClientConfig;
  readonly pool: pg.Pool;
  readonly dialect: PostgresDialect;
  /** The number of connections opened since the start. */
  readonly opened: number;
  /** Breaks connections immediately, all without `which`: statements that wait for an answer fail. */
  cut(which?: (connection: OpenConnection) => boolean): void;
}

/** A connection, as its server may be told from another. */
export interface OpenConnection {
  /** When it was opened, on the monotonic clock. */
  readonly openedMs: number;
  /** Undefined until the server has answered its first statement. */
  readonly session: Session | undefined;
}

/**
 * Creates the pool; no connection is opened yet. `name` is the application name that the server shows. A statement that
 * the server neither answers within `limitMs` nor still runs breaks its connection.
 */
export function openPool({
  url,
  log,
  poolSize,
  name,
  limitMs = answerMs,
}: {
  readonly url: string;
  readonly log: { warn(data: object, text: string): void };
  readonly poolSize: number;
  readonly name: string;
  readonly limitMs?: number;
}): OpenPool {
  const config: pg.ClientConfig = { ...clientConfig(url, name), types: numbersForBigints() };
  const isRunning = createRunningStatements(url);
  const connections = tracked(new Map<pg.Client, OpenConnection & { readonly limit: StatementLimit }>());
  let opened = 0;
  const prepare = async (client: pg.Client) => {
    let session: Session | undefined;
    const limit = createStatementLimit({
      limitMs,
      bytesRead: () => bytesRead(client),
      isRunning: () => isRunning(session),
      cut: () => cutConnection(client),
    });
    opened += 1;
    connections.set(client, {
      openedMs: performance.now(),
      get session() {
        return session;
      },
      limit,
    });
    client.on('error', () => {});
    client.once('end', () => {
      connections.delete(client);
      limit.close();
    });
    session = readSession(await limit.of(client.query<Session>(sessionSettings)));
  };
  const lend = async (client: pg.Client, done: (error?: Error) => void) => {
    const failed = await prepare(client).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
    );
    done(failed);
  };
  // A new connection must fill its caches, and the first request after a quiet period would wait for that.
  const limits = { max: poolSize, idleTimeoutMillis: idleMs, maxLifetimeSeconds: lifetimeS };
  const pool = new pg.Pool({
    ...config,
    ...limits,
    pipeline: true,
    // The pool lends the connection afterwards; a failure ends it.
    verify: (client, done) => void lend(client, done),
  });
  // Without listeners, a connection that the server ends would end this process.
  pool.on('error', (error) => {
    // Whoever cut it has said so.
    if (!(error instanceof ConnectionCut))
      log.warn({ error: error.message }, 'an idle database connection broke');
  });
  return {
    config,
    pool,
    dialect: new PostgresDialect({ pool: preparingPool(pool, (client) => connections.get(client)?.limit) }),
    get opened() {
      return opened;
    },
    cut(which = () => true) {
      for (const [client, connection] of connections) if (which(connection)) cutConnection(client);
    },
  };
}

function bytesRead({ connection: { stream } }: pg.Client): number {
  return stream instanceof Socket ? stream.bytesRead : 0;
}

/**
 * Reads int8 as a number, because microseconds since 1970 stay below 2^53 until the year 2255. Arrays of numbers have a
 * fast parser. node-postgres reads all other types.
 */
function numbersForBigints(): pg.CustomTypesConfig {
  const overrides = new pg.TypeOverrides();
  overrides.setTypeParser(20, Number);
  for (const oid of numberArrays) overrides.setTypeParser(oid, (text: string) => readNumberArray(oid, text));
  return overrides;
}
