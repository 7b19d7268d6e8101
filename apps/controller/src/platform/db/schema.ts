import type { Insertable, Selectable } from 'kysely';
import type { CatalogTables } from './catalog-tables.ts';
import type { DataTables } from './gen/data-tables.ts';

/** All tables. Columns `…_us` are microseconds since 1970; a bigint is read as a number. */
export interface Tables extends CatalogTables, DataTables {}

/** A row as it is read. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
/** A row as it is written. */
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;
