export { createDb, type Db, type DbConnection } from './db.ts';
export type { NotifyHandler } from './listen.ts';
export type { Jsonb, NewRow, Row, Tables } from './tables.ts';
