export { checksOfSpan, checksTable, rowColumns } from './checks-table.ts';
export type { PackedCheck } from './columns.ts';
export { mostChecks, packDay, unpackDay } from './pack.ts';
export {
  type CheckSpan,
  hasPackedDay,
  isPacked,
  leastPackDays,
  mayBePacked,
  mergeChecks,
  newestPackedChecks,
  notPacked,
  packedChecks,
  packedChecksSince,
} from './packed-store.ts';
