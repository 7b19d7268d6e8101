import { mebibyte } from '@vantage/domain';

/** The bounds of an outbox, in files and in memory. */
export const limits = {
  /** A segment file is closed from this size on. */
  segmentBytes: mebibyte,
  /** Groups of records are written, each with one fsync, at most this often; the first after a pause at once. */
  groupMs: 10,
  /** And this often after a group of so many records, because a group costs far more CPU than a record. */
  large: { records: 8, groupMs: 40 },
  /** A segment in use whose records are all acknowledged is removed from this size on. */
  worthRetiringBytes: 64 * 1024,
  maxAgeMs: 7 * 24 * 3600 * 1000,
  /** New records kept at hand while online; more are read back from disk. */
  atHand: { records: 5000, bytes: 8 * mebibyte },
  /** Records that wait for a disk that does not answer. */
  unwritten: { records: 20_000, bytes: 16 * mebibyte },
  /** Records that the disk refused; they wait in memory for their ack. */
  inMemory: { records: 5000, bytes: 16 * mebibyte },
  /**
   * Acknowledged segments and data gaps, for ten minutes; and the counts of those that were deleted, for a
   * day.
   */
  kept: {
    ms: 600_000,
    bytes: 64 * mebibyte,
    segments: 1024,
    memoryBytes: 4 * mebibyte,
    gaps: 128,
    forgotten: 2048,
    forgottenMs: 24 * 3600 * 1000,
  },
} as const;
