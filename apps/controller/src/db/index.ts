export { isBigint, isText, largestInt, toBigint, toReal, toText } from './column-values.ts';
export { createDb, type Db, type DbConnection } from './db.ts';
export { doEach, type Refused } from './do-each.ts';
export { readJsonObject } from './json-text.ts';
export { holdsLease, type Lease, releaseLeases, takeLeases } from './lease.ts';
export type { NotifyHandler } from './listen.ts';
export { lockAgent, lockDevices, lockDevicesOf } from './locks.ts';
export { type DbFailure, dbFailure, sqlState } from './pg-error.ts';
export type { Jsonb, NewRow, Row, Tables } from './tables.ts';
