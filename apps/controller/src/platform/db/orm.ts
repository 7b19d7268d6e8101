import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { entities } from './entities.ts';
import type { NamedMigration } from './migrate.ts';
import type { Tables } from './schema.ts';

/** Creates the ORM on Kysely's pool. It runs the migrations; it never makes or drops a table by itself. */
export function createOrm({
  kysely,
  dbName,
  migrations,
  log,
}: {
  readonly kysely: Kysely<Tables>;
  readonly dbName: string;
  readonly migrations: NamedMigration[];
  readonly log: Logger;
}): MikroORM {
  return new MikroORM({
    driverOptions: kysely,
    dbName,
    entities,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    ensureDatabase: false,
    migrations: { migrationsList: migrations, snapshot: false, tableName: 'migrations' },
    // The migrations alone make and drop tables.
    schemaGenerator: { skipTables: [/.*/] },
    logger: (message) => log.debug({ orm: message }, 'orm'),
  });
}
