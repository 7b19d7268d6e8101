export { PackedBytesError } from './byte-reader.ts';
export { checksOfSpan, checksTable, rowColumns } from './checks-table.ts';
export { askPacked, HistoryAway } from './history-away.ts';
export { maxPackedChecks, type PackedDay, packDay, packedDigest, unpackDay } from './pack.ts';
export { mayBePacked } from './pack-age.ts';
export type { PackedCheck } from './packed-columns.ts';
export { mayOverlap, packedSpans } from './packed-devices.ts';
export {
  type CheckSpan,
  hasPackedDay,
  inPackedSpan,
  isPacked,
  mergeChecks,
  newestPackedChecks,
  notPacked,
  packedChecks,
  packedChecksSince,
  storedPackedChecks,
} from './packed-store.ts';
