import type { EntityManager } from '@mikro-orm/postgresql';
import { type Clock, type Logger, systemClock } from '@vantage/kernel';
import { CompiledQuery, Kysely, type LogEvent, PostgresDialect } from 'kysely';
import pg from 'pg';
import { createListener, type Listener } from './bus/listener.ts';
import { type CatalogTransaction, catalogTransaction } from './catalog-transaction.ts';
import { createJoinedTransactions } from './joined-transaction.ts';
import { isMigrationDue, migrationFault, readMigrations, refuseNewer, withMigrationLock } from './migrate.ts';
import { numberArrays, readNumberArray } from './number-arrays.ts';
import { createOrm } from './orm.ts';
import { preparingPool } from './prepared-pool.ts';
import { readinessProblem } from './readiness.ts';
import type { Tables } from './schema.ts';
import { createScope, dropScope, workInScope } from './scope.ts';
import type { WholeTransaction } from './waiting-writes.ts';

/**
 * Where the database is: `postgres://user:password@host:port/name?sslmode=…`, or, for a socket,
 * `postgres://user@/name?host=/folder`.
 */
interface DbConnection {
  readonly url: string;
}

/** The ORM outside a transaction: it only reads. */
type EntityReader = Pick<EntityManager, 'findOne' | 'findOneOrFail' | 'find' | 'count'>;

/** The database for the steps. The ORM and Kysely share one pool. */
export interface Db {
  /** Lists, joins and the data path. The catalog is written through `catalogTransaction`. */
  readonly kysely: Kysely<Tables>;
  /**
   * Reads single rows of the catalog as entities. Each call gives an empty identity map, so nothing stale is returned.
   */
  entities(): EntityReader;
  /**
   * Runs `work` in one transaction. Every write of the catalog (the tables of `entities.ts`) goes through here. When
   * `work` returns, the changes of `em` are flushed and everything commits together; when it throws, everything is
   * rolled back.
   */
  catalogTransaction<T>(work: (transaction: CatalogTransaction) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in one transaction that everything inside joins: `kysely`, `entities()`, `catalogTransaction` and
   * transactions of Kysely, which are savepoints there. When `work` returns, all of it commits; when it throws, all of
   * it is rolled back.
   */
  inTransaction<T>(work: () => Promise<T>): Promise<T>;
  /**
   * As `inTransaction`, for work of which every part must succeed: a `catalogTransaction` inside is no savepoint, what
   * it writes may wait (`createWaitingWrites`), and where it throws, everything is rolled back.
   */
  inWholeTransaction<T>(work: () => Promise<T>): Promise<T>;
  /** The innermost transaction that the caller runs in, where it was begun by `inWholeTransaction`. */
  whole(): WholeTransaction | undefined;
  /**
   * Runs `work` as `inTransaction` does, limited to the devices that have one of these tags (numbers) and what belongs
   * to them: all statements inside see and change nothing else. See `workInScope` for what it throws.
   */
  inScope<T>(tagNos: readonly number[], work: () => Promise<T>): Promise<T>;
  /** Whether the caller runs inside `inTransaction`, so that its transactions are parts of a longer one. */
  isInTransaction(): boolean;
  /**
   * Calls `act` after the commit of the transaction that the caller runs in by `inTransaction`, and never after a
   * rollback; elsewhere at once.
   */
  afterCommit(act: () => void): void;
  /**
   * Migrates the schema to this version, or to the migration `last`. Controllers that start together wait for each
   * other.
   */
  migrate(last?: string): Promise<void>;
  /** See `Listener.subscribe`; `publish` sends notifications. */
  subscribe: Listener['subscribe'];
  /** See `readinessProblem`. */
  readinessProblem(): Promise<string | undefined>;
  /** The connections of the pool, how many it opened since its start, and the requests that wait for one. */
  readonly pool: {
    readonly open: number;
    readonly opened: number;
    readonly idle: number;
    readonly waiting: number;
  };
  close(): Promise<void>;
}

/** A stalled process blocks others no longer than this. */
const timeoutMs = 5_000;
const idleMs = 300_000;
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
/** Statements end within their time limit; then their connections are closed. */
const closeWithinMs = 2 * timeoutMs;
/** Statements whose text changes from day to day stay prepared no longer than their connection. */
const lifetimeS = 12 * 3_600;

/** Creates the pool and the ORM; no connection is opened yet. */
export async function createDb({
  connection,
  log,
  poolSize = 10,
  clock = systemClock,
  onStatement,
}: {
  readonly connection: DbConnection;
  readonly log: Logger;
  readonly poolSize?: number;
  readonly clock?: Clock;
  /** Is called after each statement that Kysely or the ORM sent, in the caller's asynchronous context. */
  readonly onStatement?: OnStatement | undefined;
}): Promise<Db> {
  const config: pg.ClientConfig = {
    connectionString: connection.url,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    application_name: 'vantage',
    types: numbersForBigints(),
  };
  // A new connection loads its caches again, and the first request after a quiet moment would wait for it.
  const limits = { max: poolSize, idleTimeoutMillis: idleMs, maxLifetimeSeconds: lifetimeS };
  const pool = new pg.Pool({ ...config, ...limits, pipeline: true });
  // Without listeners, a connection that the server ends would end this process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'an idle database connection broke'));
  let opened = 0;
  pool.on('connect', (client) => {
    opened += 1;
    client.on('error', () => {});
  });
  const joined = createJoinedTransactions();
  const dialect = new PostgresDialect({
    pool: preparingPool(pool),
    onCreateConnection: async (fresh) => {
      await fresh.executeQuery(CompiledQuery.raw(sessionSettings));
    },
  });
  const kysely = new Kysely<Tables>({
    dialect: joined.dialect(dialect),
    ...(onStatement === undefined ? {} : { log: statementLog(onStatement) }),
  });
  const known = await readMigrations();
  const orm = createOrm({
    kysely,
    dbName: new pg.Client(config).database ?? 'postgres',
    migrations: known,
    log,
  });
  const listener = createListener({ config, clock, log });
  return {
    kysely,
    entities: () => orm.em.fork(),
    catalogTransaction: (work) => catalogTransaction({ kysely, orm, whole: joined.whole() }, work),
    inTransaction: (work) => joined.run(kysely, work),
    inWholeTransaction: (work) => joined.run(kysely, work, { whole: true }),
    whole: () => joined.whole(),
    inScope: (tagNos, work) => joined.run(kysely, () => workInScope(kysely, tagNos, work)),
    isInTransaction: () => joined.isOpen(),
    afterCommit: (act) => joined.afterCommit(act),
    async migrate(last) {
      await withMigrationLock(config, async () => {
        await refuseNewer(kysely, known);
        if (await isMigrationDue(kysely, known)) await dropScope(kysely);
        const done = await orm.migrator.up(last === undefined ? {} : { to: last }).catch((error: unknown) => {
          throw migrationFault(error);
        });
        if (done.length > 0) log.info({ migrations: done.map(({ name }) => name) }, 'the schema is migrated');
        if (last === undefined) await createScope(kysely, log);
      });
    },
    subscribe: (channel, subscriber) => listener.subscribe(channel, subscriber),
    readinessProblem: () => readinessProblem({ kysely, known, isListening: () => listener.isListening }),
    get pool() {
      return { open: pool.totalCount, opened, idle: pool.idleCount, waiting: pool.waitingCount };
    },
    async close() {
      const end = async () => {
        await listener.close();
        await orm.close(true);
        // The ORM ends the pool only when it has used it.
        if (!pool.ending) await pool.end();
        return true;
      };
      // A connection that is lent, or that the server does not end, would keep the caller for ever.
      const late = new AbortController();
      const isClosed = await Promise.race([
        end(),
        clock.sleep(closeWithinMs, late.signal).then(() => false),
      ]).finally(() => late.abort());
      const { totalCount: open, idleCount: idle } = pool;
      if (!isClosed) log.warn({ open, idle }, 'connections to the database could not be closed in time');
    },
  };
}

type OnStatement = (statement: {
  readonly sql: string;
  readonly ms: number;
  readonly failed: boolean;
}) => void;

function statementLog(onStatement: OnStatement): (event: LogEvent) => void {
  return ({ level, query, queryDurationMillis: ms }) =>
    onStatement({ sql: query.sql, ms, failed: level === 'error' });
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
