import { existsSync } from 'node:fs';
import path from 'node:path';
import { useDatabase } from '@vantage/testing/use-database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Db } from '../db-access.ts';
import { timeColumns } from './time-columns.ts';

const repository = path.join(import.meta.dirname, '../../../..');
let db: Db;
useDatabase((opened) => {
  db = opened;
});

test('each time of each table has a rule, and each rule has a time', async () => {
  const { rows } = await sql<{ name: string }>`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema and t.table_type = 'BASE TABLE' and c.data_type in ('bigint', 'ARRAY')
      and c.column_name like '%\_us' and not exists (
        select from pg_inherits i join pg_class p on p.oid = i.inhrelid where p.relname = c.table_name)
    order by 1`.execute(db.kysely);
  const listed = Object.entries(timeColumns).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('the reader that clamps a time exists', () => {
  const rules = Object.values(timeColumns).flatMap((columns) => Object.values(columns));
  const readers = rules.flatMap((rule) => (rule.kind === 'read' ? [rule.where] : []));
  expect(readers.length).toBeGreaterThan(5);
  expect(readers.filter((file) => !existsSync(path.join(repository, file)))).toEqual([]);
});
