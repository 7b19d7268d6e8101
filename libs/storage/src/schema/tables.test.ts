import { createLog } from '@vantage/kernel';
import { createTestDatabase, type TestDatabase } from '@vantage/testing/database';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDb, type Database } from '../index.ts';
import { migrationNames } from '../migrate.ts';
import { entities } from './entities.ts';
import { createOrm } from './orm.ts';
import { readColumns, type TableColumn, tableTypes } from './table-types.ts';
import { identityColumns, jsonColumns } from './tables.ts';

const log = createLog('schema test', 'silent');
let db: Database;
let columns: readonly TableColumn[];

useDatabase(async (opened) => {
  db = opened;
  columns = await readColumns(db.kysely);
});

const catalog: readonly string[] = entities.map(({ tableName }) => tableName);

test('the generated types of the data path are those of the migrated schema (npm run gen:db)', async () => {
  const source = tableTypes(columns.filter(({ table }) => !catalog.includes(table)));
  await expect(source).toMatchFileSnapshot('../gen/data-tables.ts');
});

describe('the entities make the tables that the migrations make', () => {
  let made: Database;
  let emptied: TestDatabase;

  beforeAll(async () => {
    emptied = await createTestDatabase();
    made = await createDb({ connection: { url: emptied.url }, log });
    await sql.raw('drop schema public cascade; create schema public').execute(made.kysely);
    const orm = createOrm({ kysely: made.kysely, dbName: 'postgres', migrations: [], log });
    orm.config.set('schemaGenerator', { skipTables: [] });
    await orm.schema.create();
  });

  afterAll(async () => {
    await made.close();
    await emptied[Symbol.asyncDispose]();
  });

  test.each(entities)(
    '$name: every column, its type, null, default and place in the key',
    async ({ tableName }) => {
      const [byEntity, byMigration] = [await readColumns(made.kysely), columns].map((all) =>
        all
          .filter(({ table }) => table === tableName)
          .map(comparable)
          .sort(byColumnName),
      );
      expect(byEntity).toEqual(byMigration);
    },
  );

  test.each(entities)('$name: what is unique', async ({ tableName }) => {
    expect(await uniqueColumns(made, tableName)).toEqual(await uniqueColumns(db, tableName));
  });
});

/**
 * The ORM makes `serial` of a number that the migrations make an identity; the permitted values are the migrations'
 * alone.
 */
function comparable({ values: _values, ...column }: TableColumn) {
  return column.default?.startsWith('nextval') === true
    ? { ...column, default: null, identity: true }
    : column;
}

function byColumnName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

async function uniqueColumns({ kysely }: Database, table: string): Promise<readonly string[]> {
  const { rows } = await sql<{ columns: string }>`
    select string_agg(a.attname, ', ' order by k.place) as columns
    from pg_index i
    cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
    where i.indrelid = ${table}::regclass and i.indisunique and not i.indisprimary and i.indpred is null
    group by i.indexrelid order by 1`.execute(kysely);
  return rows.map(({ columns }) => columns);
}

test('the columns with types of their own for Kysely are those of the schema', () => {
  const own = columns.filter(({ table }) => catalog.includes(table));
  const pairs = (list: readonly TableColumn[]) => list.map(({ table, name }) => `${table}.${name}`).sort();
  expect(pairs(own.filter(({ identity }) => identity))).toEqual(
    Object.entries(identityColumns)
      .map(([table, name]) => `${table}.${name}`)
      .sort(),
  );
  expect(pairs(own.filter(({ type }) => type === 'jsonb'))).toEqual(
    Object.entries(jsonColumns)
      .flatMap(([table, names]) => names.map((name) => `${table}.${name}`))
      .sort(),
  );
});

test('a column of a type that has no Kysely type yet is refused by its name', () => {
  const [column] = columns;
  expect(() => tableTypes(column === undefined ? [] : [{ ...column, name: 'x', type: 'uuid' }])).toThrow(
    `uuid of ${column?.table}.x`,
  );
});

test('the migrations are in the order of their numbers, and no two have the same number', async () => {
  const numbers = (await migrationNames()).map((name) => Number(name.slice(0, 4)));
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
});
