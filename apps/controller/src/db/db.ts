import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import { type Clock, type Logger, systemClock } from '@vantage/kernel';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { createListener, type Listener } from './bus/listener.ts';
import { entities } from './entities.ts';
import { readMigrations, refuseNewer, withMigrationLock } from './migrate.ts';
import type { Tables } from './schema.ts';

/**
 * Where the database is: `postgres://user:password@host:port/name?sslmode=…`, or, for a socket, `postgres://user@/name?host=/folder`.
 */
interface DbConnection {
  readonly url: string;
}

/** The database as the steps see it. One pool serves the ORM and Kysely. */
export interface Db {
  readonly orm: MikroORM;
  readonly kysely: Kysely<Tables>;
  /** Brings the schema up to this version; controllers that start together wait for one another. */
  migrate(): Promise<void>;
  /** See `Listener.subscribe`; `publish` sends. */
  subscribe: Listener['subscribe'];
  close(): Promise<void>;
}

/** A stalled process holds nobody up longer than this. */
const timeoutMs = 5_000;
const idleMs = 300_000;

/** Opens the pool (no connection is made yet) and readies the ORM. */
export async function createDb({
  connection,
  log,
  poolSize = 10,
  clock = systemClock,
}: {
  readonly connection: DbConnection;
  readonly log: Logger;
  readonly poolSize?: number;
  readonly clock?: Clock;
}): Promise<Db> {
  const config: pg.ClientConfig = {
    connectionString: connection.url,
    statement_timeout: timeoutMs,
    lock_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    application_name: 'vantage',
    types: numbersForBigints(),
  };
  // A new connection has everything to learn anew: the first request after a quiet moment would pay for it.
  const pool = new pg.Pool({ ...config, max: poolSize, idleTimeoutMillis: idleMs });
  // Without listeners a connection that the server drops would end the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'an idle database connection broke'));
  pool.on('connect', (client) => client.on('error', () => {}));
  const kysely = new Kysely<Tables>({
    dialect: new PostgresDialect({
      pool,
      // Whatever the server's default: an ack means that the commit is on disk.
      onCreateConnection: async (fresh) => {
        await fresh.executeQuery(CompiledQuery.raw('set synchronous_commit = on'));
      },
    }),
  });
  const known = await readMigrations();
  const orm = new MikroORM({
    driverOptions: kysely,
    dbName: new pg.Client(config).database ?? 'postgres',
    entities,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    ensureDatabase: false,
    migrations: { migrationsList: known, snapshot: false, tableName: 'migrations' },
    // Partitions and hand-made tables are not the ORM's to drop.
    schemaGenerator: { skipTables: [/.*/] },
    logger: (message) => log.debug({ orm: message }, 'orm'),
  });
  const listener = createListener({ config, clock, log });
  return {
    orm,
    kysely,
    async migrate() {
      await withMigrationLock(config, async () => {
        await refuseNewer(kysely, known);
        const done = await orm.migrator.up();
        if (done.length > 0) log.info({ migrations: done.map(({ name }) => name) }, 'the schema is migrated');
      });
    },
    subscribe: (channel, subscriber) => listener.subscribe(channel, subscriber),
    async close() {
      await listener.close();
      await orm.close(true);
      // The ORM ends the pool only when it has used it.
      if (!pool.ending) await pool.end();
    },
  };
}

/** int8 as number: microseconds since 1970 stay below 2^53 until the year 2255. All else as node-postgres reads it. */
function numbersForBigints(): pg.CustomTypesConfig {
  const overrides = new pg.TypeOverrides();
  overrides.setTypeParser(20, Number);
  return overrides;
}
