import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import { type Clock, declareShare, type Logger, systemClock } from '@vantage/kernel';
import { Kysely, type LogEvent, sql } from 'kysely';
import pg from 'pg';
import { createListener, type Listener } from './bus/listener.ts';
import { type CatalogTransaction, catalogTransaction } from './catalog-transaction.ts';
import { askWorkersAgain } from './distribute/ask-workers.ts';
import { createJoinedTransactions } from './joined-transaction.ts';
import { createLanes, type Lanes } from './lanes.ts';
import {
  isMigrationDue,
  migrationFault,
  migrationNames,
  refuseOthers,
  storeVersion,
  withMigrationLock,
} from './migrate.ts';
import { openPool, timeoutMs } from './pool.ts';
import { createReplica, type Replica } from './replica/index.ts';
import type { Tables } from './schema.ts';
import { createScope, dropScope, workInScope } from './scope.ts';
import type { WholeTransaction } from './waiting-writes.ts';

declareShare({
  name: 'database_connections_of_work',
  limit: '10 connections',
  filledBy: 'results, status, alerts, deliveries, planning, changes',
  share:
    'commits of results: 4, an account 2, an agent 1; changes: 6, an account 2; batches: 8, an account 1; look-ups of keys: 3; else one for each loop of the controller',
});

/**
 * Where the database is: `postgres://user:password@host:port/name?sslmode=…`, or, for a socket,
 * `postgres://user@/name?host=/folder`.
 */
interface DbConnection {
  readonly url: string;
  /** A replica of it; undefined: there is none. */
  readonly replica?: { readonly url: string; readonly maxAgeMs: number } | undefined;
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
  entities(): Promise<EntityReader>;
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
  /**
   * The statements of `work`, which only reads, get connections of a lane in the turns of the account (see
   * `laneConnections`); in a transaction they have its connection.
   */
  readonly inLane: Lanes['run'];
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
  /** As given: it may hold a password. */
  readonly url: string;
  /** The replica of which history may be read; its `run` must run. */
  readonly replica: Replica | undefined;
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

/** Statements end within their time limit; then their connections are closed. */
const closeWithinMs = 2 * timeoutMs;
/**
 * Creates the pool; no connection is opened yet. The ORM is loaded when something uses it first, because an operator's
 * command that only reads needs none of its hundreds of modules.
 */
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
  const open = openPool({ url: connection.url, log, poolSize, name: 'vantage' });
  const { config, pool } = open;
  const replica =
    connection.replica && createReplica({ ...connection.replica, primaryUrl: connection.url, clock, log });
  const lanes = createLanes({ url: connection.url, log });
  const primary = lanes.dialect(open.dialect);
  const joined = createJoinedTransactions();
  const kysely = new Kysely<Tables>({
    dialect: joined.dialect(lanes.inTurns(replica?.dialect(primary) ?? primary)),
    ...(onStatement === undefined ? {} : { log: statementLog(onStatement) }),
  });
  const known = await migrationNames();
  let opened: Promise<MikroORM> | undefined;
  const openOrm = async () => {
    const { createOrm } = await import('./orm.ts');
    const dbName = new pg.Client(config).database ?? 'postgres';
    return createOrm({ kysely, dbName, migrations: known, log });
  };
  const orm = () => (opened ??= openOrm());
  const listener = createListener({ config, clock, log });
  return {
    kysely,
    replica,
    url: connection.url,
    entities: async () => (await orm()).em.fork(),
    catalogTransaction: async (work) =>
      catalogTransaction({ kysely, orm: await orm(), whole: joined.whole() }, work),
    inTransaction: (work) => joined.run(kysely, work),
    inWholeTransaction: (work) => joined.run(kysely, work, { whole: true }),
    whole: () => joined.whole(),
    inScope: (tagNos, work) => joined.run(kysely, () => workInScope(kysely, tagNos, work)),
    isInTransaction: () => joined.isOpen(),
    afterCommit: (act) => joined.afterCommit(act),
    async migrate(last) {
      await withMigrationLock(config, async () => {
        await refuseOthers(kysely, known);
        if (await isMigrationDue(kysely, known)) await dropScope(kysely);
        const { migrator } = await orm();
        const done = await migrator.up(last === undefined ? {} : { to: last }).catch((error: unknown) => {
          throw migrationFault(error);
        });
        if (done.length > 0) log.info({ migrations: done.map(({ name }) => name) }, 'the schema is migrated');
        if (last !== undefined) return;
        if (done.length > 0) await storeVersion(kysely);
        await askWorkersAgain(kysely);
        await createScope(kysely, log);
      });
    },
    inLane: (lane, accountNo, work) => lanes.run(lane, accountNo, work),
    subscribe: (channel, subscriber) => listener.subscribe(channel, subscriber),
    readinessProblem: () => readinessProblem({ kysely, known, isListening: () => listener.isListening }),
    get pool() {
      return { open: pool.totalCount, opened: open.opened, idle: pool.idleCount, waiting: pool.waitingCount };
    },
    async close() {
      const end = async () => {
        await listener.close();
        await (await opened)?.close(true);
        // The ORM ends the pool only when it has used it.
        if (!pool.ending) await pool.end();
        await lanes.close();
        return true;
      };
      // A connection that is lent, or that the server does not end, would keep the caller for ever.
      const late = new AbortController();
      const isClosed = await Promise.race([
        end(),
        clock.sleep(closeWithinMs, late.signal).then(() => false),
      ]).finally(() => late.abort());
      const { totalCount, idleCount: idle } = pool;
      if (!isClosed)
        log.warn({ open: totalCount, idle }, 'connections to the database could not be closed in time');
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
 * The reason why a controller cannot serve with this database, in one sentence; undefined when nothing does. `known`
 * are the migrations of this version. Never rejects, and says nothing of the server's own texts, because strangers may
 * read it.
 */
async function readinessProblem({
  kysely,
  known,
  isListening,
}: {
  readonly kysely: Kysely<Tables>;
  readonly known: readonly string[];
  readonly isListening: () => boolean;
}): Promise<string | undefined> {
  try {
    const { rows } = await sql<{ name: string }>`select name from migrations`.execute(kysely);
    const done = new Set(rows.map(({ name }) => name));
    const lacking = known.filter((name) => !done.has(name)).length;
    if (lacking > 0) return `The database lacks ${lacking} migrations of this version.`;
  } catch {
    return 'The database does not answer.';
  }
  return isListening() ? undefined : 'The connection that receives notices of the database is broken.';
}
