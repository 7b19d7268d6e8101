export { checksOfSpan, checksTable, rowColumns } from './checks-table.ts';
export type { PackedCheck } from './columns.ts';
export { mostChecks, packDay, unpackDay } from './pack.ts';
export { mayBePacked } from './pack-age.ts';
export {
  type CheckSpan,
  hasPackedDay,
  isPacked,
  mergeChecks,
  newestPackedChecks,
  notPacked,
  packedChecks,
  packedChecksSince,
} from './packed-store.ts';
