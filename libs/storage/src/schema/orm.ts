import { UnderscoreNamingStrategy } from '@mikro-orm/core';
import { Migration, Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from '@vantage/kernel';
import type { Kysely } from 'kysely';
import { baseline } from '../baseline.ts';
import { isDistributedSql, propagation } from '../distribute/history-tables.ts';
import { readMigration } from '../migrate.ts';
import { entities } from './entities.ts';
import type { Tables } from './tables.ts';

/** Creates the ORM on Kysely's pool. It runs the migrations with these names, and never changes tables otherwise. */
export function createOrm({
  kysely,
  dbName,
  migrations,
  log,
}: {
  readonly kysely: Kysely<Tables>;
  readonly dbName: string;
  readonly migrations: readonly string[];
  readonly log: Logger;
}): MikroORM {
  return new MikroORM({
    driverOptions: kysely,
    dbName,
    entities,
    namingStrategy: UnderscoreNamingStrategy,
    extensions: [Migrator],
    ensureDatabase: false,
    migrations: {
      migrationsList: migrations.map((name) => ({ name, class: migrationOf(name) })),
      snapshot: false,
      tableName: 'migrations',
    },
    // Only migrations create and drop tables.
    schemaGenerator: { skipTables: [/.*/] },
    logger: (message) => log.debug({ orm: message }, 'orm'),
  });
}

/** A migration may run longer than other statements, because tables may be large. Its wait for a lock may not. */
function migrationOf(name: string): new (...args: ConstructorParameters<typeof Migration>) => Migration {
  return class extends Migration {
    override async up(): Promise<void> {
      // The tables exist: the migrations that the baseline replaces created them.
      if (name === baseline && (await this.execute('select 1 from migrations limit 1')).length > 0) return;
      this.addSql('set local statement_timeout = 0');
      // Citus would repeat the changes on all workers even where no table is distributed yet.
      this.addSql(propagation(`case when ${isDistributedSql} then 'on' else 'off' end`));
      this.addSql(await readMigration(name));
    }
  };
}
