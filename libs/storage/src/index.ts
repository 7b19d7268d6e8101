export { publish } from './bus/channels.ts';
export { createDb, type Database } from './db.ts';
export type { Db, Reader } from './db-access.ts';
export { bisectBatch, type FailedItem } from './jobs/bisect-batch.ts';
export { dropQuarantined, quarantine } from './jobs/job-quarantine.ts';
export { type Lease, ownsLease, releaseLeases, renewLease, takeLeases } from './jobs/lease.ts';
export { foreverUs, maxDaysInRun, partitionOf, startOfDay } from './partitions/partition-days.ts';
export { createPartitions, oldestPartitionUs, type Partitions } from './partitions/partitions.ts';
export { dbFailure, isTransientDbError } from './pool/pg-error.ts';
export { bigintArray, intArray, type RowVersion, tidArray, xidArray } from './rows/binary-array.ts';
export { isBigint, isText, largestInt, toBigint, toReal, toText } from './rows/column-values.ts';
export { type CopyColumn, copyRows } from './rows/copy-rows.ts';
export { readJsonObject } from './rows/json-text.ts';
export type { NewRow, Row, Tables } from './schema/tables.ts';
export { ScopeNotReady, ScopeRefusal } from './scope/tag-scope.ts';
export { agentStateAt } from './statements/agent-state.ts';
export { executeCached } from './statements/cached-query.ts';
export { checkSums, type LatencyScale } from './statements/check-sums.ts';
export { databaseUs } from './statements/database-time.ts';
export { isOneOf } from './statements/one-of.ts';
export {
  type PhaseCounts,
  packedHistogram,
  phaseColumns,
  phaseRadix,
  readPhaseCounts,
  unpackedHistogram,
} from './statements/phase-histogram.ts';
export { clampStoredTimes } from './stored-times/clamp-stored-times.ts';
export { maxWaitUs } from './stored-times/time-columns.ts';
export {
  type LockedDevice,
  lockAgent,
  lockCheckNow,
  lockDevices,
  lockDevicesOf,
  lockSums,
  tryLockRequest,
} from './transactions/advisory-locks.ts';
export { type Batch, combinedWrites } from './transactions/batch.ts';
export type { CatalogTransaction } from './transactions/catalog-transaction.ts';
export { pipelined } from './transactions/pipelined.ts';
