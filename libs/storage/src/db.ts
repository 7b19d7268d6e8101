import type { MikroORM } from '@mikro-orm/postgresql';
import { type Clock, declareShare, declareState, type Logger, LRUCache, systemClock } from '@vantage/kernel';
import { type Dialect, Kysely, type LogEvent } from 'kysely';
import pg from 'pg';
import { createListener, type Listener } from './bus/listener.ts';
import { readinessProblem } from './database-readiness.ts';
import type { Db } from './db-access.ts';
import { warnOfOldPlaces } from './distribute/old-places.ts';
import {
  isMigrationDue,
  migrationFault,
  migrationNames,
  refuseUnknownMigrations,
  storeVersion,
  withMigrationLock,
} from './migrate.ts';
import { timeoutMs } from './pool/client-config.ts';
import { createLanes, type Lane } from './pool/lanes.ts';
import { openPool } from './pool/pool.ts';
import { createPrimaryWatch, type PrimaryWatch } from './pool/primary-watch.ts';
import { createReplica, type Replica } from './replica/index.ts';
import { entityManagerOn } from './schema/entity-manager-on.ts';
import type { Tables } from './schema/tables.ts';
import { createScope, dropScope } from './scope/scope-views.ts';
import { workInScope } from './scope/tag-scope.ts';
import { runTransaction } from './transactions/open-transaction.ts';

declareShare({
  name: 'database_connections_of_work',
  limit: '10 connections',
  filledBy: 'results, status, alerts, deliveries, planning, changes',
  share:
    'commits of results: 4, an account 2, an agent 1; changes: 6, an account 2; batches: 8, an account 1; look-ups of keys: 3; else one for each loop of the controller',
});

const maxAccesses = 500;

const trackedAccesses = declareState({
  name: 'database_accesses_of_accounts',
  entries: maxAccesses,
  entryBytes: 3_000,
  filledBy: 'accounts',
  atBound: 'the least recently used is created again',
});

interface DbConnection {
  /** `postgres://user:password@host:port/name?sslmode=…`, or, for a socket, `postgres://user@/name?host=/folder`. */
  readonly url: string;
  readonly replica?: { readonly url: string; readonly maxAgeMs: number } | undefined;
}

/** The database of this process. The ORM and Kysely share one pool. Its own statements see everything. */
export interface Database extends Db {
  /**
   * For reads of an account: on the connections of a lane. Each statement waits for the account's turn (see
   * `laneConnections`).
   */
  lane(lane: Lane, accountNo: number): Db;
  /** Like `lane`, for reads of history: on the replica where that may answer (see `Replica.read`). */
  readHistory<T>(accountNo: number, work: (db: Db) => Promise<T>): Promise<T>;
  /**
   * Migrates the schema to this version, or to the migration `last`. Controllers that start together wait for each
   * other.
   */
  migrate(last?: string): Promise<void>;
  /** See `Listener.subscribe`; `publish` sends notifications. */
  subscribe: Listener['subscribe'];
  /** May contain a password. */
  readonly url: string;
  /** Cuts the connections when the database's host is gone; its `run` must run. */
  readonly primary: PrimaryWatch;
  /** The replica from which history may be read; its `run` must run. */
  readonly replica: Replica | undefined;
  /** See `readinessProblem`. */
  readinessProblem(): Promise<string | undefined>;
  readonly pool: {
    readonly open: number;
    /** Since the start. */
    readonly opened: number;
    readonly idle: number;
    /** Callers that wait for a connection. */
    readonly waiting: number;
  };
  close(): Promise<void>;
}

/** Running statements end within their time limit. */
const closeWithinMs = 2 * timeoutMs;

/**
 * Creates the pool; no connection is opened yet. The ORM is loaded at its first use, because commands of the operator
 * that only read do not need its hundreds of modules.
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
  /** Called after each statement of Kysely or the ORM, in the caller's asynchronous context. */
  readonly onStatement?: OnStatement | undefined;
}): Promise<Database> {
  const open = openPool({ url: connection.url, log, poolSize, name: 'vantage' });
  const { config, pool } = open;
  const replica =
    connection.replica && createReplica({ ...connection.replica, primaryUrl: connection.url, clock, log });
  const lanes = createLanes({ url: connection.url, log });
  const statements = onStatement === undefined ? {} : { log: statementLog(onStatement) };
  const kyselyOn = (dialect: Dialect) => new Kysely<Tables>({ dialect, ...statements });
  const kysely = kyselyOn(open.dialect);
  const known = await migrationNames();
  let opened: Promise<MikroORM> | undefined;
  const openOrm = async () => {
    const { createOrm } = await import('./schema/orm.ts');
    const dbName = new pg.Client(config).database ?? 'postgres';
    return createOrm({ kysely, dbName, migrations: known, log });
  };
  const orm = () => (opened ??= openOrm());
  const listener = createListener({ config, clock, log });
  // A Kysely costs as much as a small statement, so each account keeps its own.
  const accesses = trackedAccesses(new LRUCache<string, Db>({ max: maxAccesses }));
  const accessOf = (name: string, dialect: () => Dialect): Db => {
    const db = accesses.get(name) ?? dbOn(kyselyOn(dialect()), orm);
    accesses.set(name, db);
    return db;
  };
  const laneOf = (lane: Lane, accountNo: number) =>
    accessOf(`${lane} ${accountNo}`, () => lanes.dialect(lane, accountNo));
  const cut: typeof listener.cut = (which) => {
    for (const part of [open, lanes, listener]) part.cut(which);
  };
  return {
    ...dbOn(kysely, orm),
    primary: createPrimaryWatch({ url: connection.url, log, cut }),
    replica,
    url: connection.url,
    lane: laneOf,
    async readHistory(accountNo, work) {
      const onPrimary = () => work(laneOf('history', accountNo));
      if (replica === undefined) return onPrimary();
      const onReplica = () =>
        work(accessOf(`replica ${accountNo}`, () => lanes.inTurns(replica.dialect, 'history', accountNo)));
      return replica.read(accountNo, { onReplica, onPrimary });
    },
    async migrate(last) {
      await withMigrationLock(config, async () => {
        await refuseUnknownMigrations(kysely, known);
        if (await isMigrationDue(kysely, known)) await dropScope(kysely);
        const { migrator } = await orm();
        const done = await migrator.up(last === undefined ? {} : { to: last }).catch((error: unknown) => {
          throw migrationFault(error);
        });
        if (done.length > 0) log.info({ migrations: done.map(({ name }) => name) }, 'the schema is migrated');
        if (last !== undefined) return;
        if (done.length > 0) await storeVersion(kysely);
        await createScope(kysely, log);
        await warnOfOldPlaces(kysely, log);
      });
    },
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
      // A connection that is in use, or that the server does not end, would block the caller without a limit.
      const late = new AbortController();
      const isClosed = await Promise.race([
        end(),
        clock.sleep(closeWithinMs, late.signal).then(() => false),
      ]).finally(() => late.abort());
      if (isClosed) return;
      const { totalCount, idleCount: idle } = pool;
      log.warn({ open: totalCount, idle }, 'connections to the database could not be closed in time');
      cut(() => true);
    },
  };
}

/** The access outside of a transaction. */
function dbOn(kysely: Kysely<Tables>, orm: () => Promise<MikroORM>): Db {
  const run = <T>(work: (db: Db) => Promise<T>) => runTransaction({ kysely, orm }, work);
  return {
    kysely,
    batch: undefined,
    entities: async () => entityManagerOn(await orm(), kysely),
    inTransaction: run,
    inBatch: (work) => run((db) => db.inBatch(work)),
    inScope: (tagNos, work) => run((db) => workInScope(db.kysely, tagNos, () => work(db))),
    catalogTransaction: (work) => run((db) => db.catalogTransaction(work)),
    isInTransaction: () => false,
    afterCommit: (act) => act(),
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
