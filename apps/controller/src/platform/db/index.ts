export { agentStateAt } from './agent-state.ts';
export { bigintArray, intArray, type RowVersion, tidArray, xidArray } from './binary-array.ts';
export { bisectBatch, type Refused } from './bisect-batch.ts';
export { publish } from './bus/channels.ts';
export { executeKept } from './cached-query.ts';
export type { CatalogTransaction } from './catalog-transaction.ts';
export {
  checkSums,
  type LatencyScale,
  type PhaseCounts,
  packedHistogram,
  phaseColumns,
  phaseRadix,
  readPhaseCounts,
  unpackedHistogram,
} from './check-sums.ts';
export { isBigint, isText, largestInt, toBigint, toReal, toText } from './column-values.ts';
export { type CopyColumn, copyRows } from './copy-rows.ts';
export { createDb, type Db } from './db.ts';
export { findDeviceCursor } from './device-cursor.ts';
export { readJsonObject } from './json-text.ts';
export { holdsLease, type Lease, releaseLeases, renewLease, takeLeases } from './lease.ts';
export {
  type LockedDevice,
  lockAgent,
  lockCheckNow,
  lockDevices,
  lockDevicesOf,
  lockPacking,
  tryLockRequest,
} from './locks.ts';
export { type NewRunRequest, timeoutsUntilAnswer } from './new-run-request.ts';
export { isOneOf } from './one-of.ts';
export {
  createPartitions,
  foreverUs,
  mostDaysInRun,
  oldestPartitionUs,
  type Partitions,
  partitionOf,
  startOfDay,
} from './partitions.ts';
export { dbFailure, isTransientDbError } from './pg-error.ts';
export { pipelined } from './pipelined.ts';
export { dropQuarantined, quarantine } from './quarantine.ts';
export type { NewRow, Row, Tables } from './schema.ts';
export { ScopeNotReady, ScopeRefusal } from './scope.ts';
export { createWaitingWrites, type WholeTransaction } from './waiting-writes.ts';
