import type { InferKyselyDB } from '@mikro-orm/postgresql';
import type { ColumnType, GeneratedAlways, Insertable, InsertType, Selectable, SelectType } from 'kysely';
import type { DataTables } from '../gen/data-tables.ts';
import type { entities } from './entities.ts';

/** All tables. Columns `…_us` are microseconds since 1970; a bigint is read as a number. */
export interface Tables extends CatalogTables, DataTables {}

/** A row as it is read. */
export type Row<T extends keyof Tables> = Selectable<Tables[T]>;
/** A row as it is written. */
export type NewRow<T extends keyof Tables> = Insertable<Tables[T]>;

type Inferred = InferKyselyDB<(typeof entities)[number]>;

/** The columns whose numbers PostgreSQL generates. */
export const identityColumns = {
  accounts: 'account_no',
  api_keys: 'key_no',
  contacts: 'contact_no',
  nschedules: 'nschedule_no',
  mschedules: 'mschedule_no',
  locations: 'location_no',
  agents: 'agent_no',
  devices: 'device_no',
  tags: 'tag_no',
} as const;

/**
 * The jsonb columns. Kysely writes JSON text, because node-postgres converts a JavaScript array to a PostgreSQL array.
 */
export const jsonColumns = {
  contacts: ['options'],
  nschedules: ['steps'],
  locations: ['anchors', 'failed_anchors'],
  agents: ['anchor_states'],
  devices: ['options', 'host_data'],
} as const;

type IdentityOf<T> = T extends keyof typeof identityColumns ? (typeof identityColumns)[T] : never;
type JsonOf<T> = T extends keyof typeof jsonColumns ? (typeof jsonColumns)[T][number] : never;

/** JSON text instead of the value. A column that is optional or nullable remains so. */
type AsText<T> = string | Extract<T, null | undefined> | (null extends T ? undefined : never);
type JsonColumn<C> = ColumnType<SelectType<C>, AsText<InsertType<C>>, AsText<SelectType<C>>>;

/** The tables of the catalog as Kysely reads and writes them, derived from the entities. */
type CatalogTables = {
  [T in keyof Inferred]: {
    [C in keyof Inferred[T]]: C extends IdentityOf<T>
      ? GeneratedAlways<number>
      : C extends JsonOf<T>
        ? JsonColumn<Inferred[T][C]>
        : Inferred[T][C];
  };
};
