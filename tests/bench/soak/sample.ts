import { z } from 'zod';

const number = z.number();

/** One process: the least of a minute, because garbage and running checks come and go. */
const processSchema = z.object({
  /** Its pid: another one is another life. */
  life: number,
  rssMib: number,
  descriptors: number,
  heapMib: number.nullable(),
});

/** A table with its partitions. Counters count since the start of the database. */
const tableSchema = z.object({
  table: z.string(),
  heapBytes: number,
  toastBytes: number,
  liveRows: number,
  liveBytes: number,
  deadRows: number,
  freeBytes: number,
  /** Rows that were changed or deleted: each leaves a dead one. */
  changedRows: number,
  hotChanges: number,
  vacuums: number,
});

/** An index with those of the partitions. */
const indexSchema = z.object({
  index: z.string(),
  table: z.string(),
  bytes: number,
  /** The share of its leaves that is used; null where it is no btree, or empty. */
  density: number.nullable(),
});

/** Everything that is measured at one time. */
export const sampleSchema = z.object({
  /** Hours since the start. */
  at: number,
  processes: z.record(z.string(), processSchema),
  postgres: z.object({
    processes: number,
    pssMib: number,
    ownMib: number,
    sharedMib: number,
    descriptors: number,
  }),
  tables: z.array(tableSchema),
  indexes: z.array(indexSchema),
  /** Partitions of check_rows. */
  partitions: number,
  /** WAL that was written since the database was made, and the files that are kept. */
  walBytes: number,
  walKeptBytes: number,
  temporaryBytes: number,
  /** The age of the oldest snapshot, transactions: rows that died after it cannot be removed. */
  oldestSnapshot: number,
  outbox: z.object({ files: number, bytes: number, records: number }),
  logBytes: number,
  latenessMs: z.object({ p50: number.nullable(), p99: number.nullable() }),
  webhooks: number,
  events: number,
  streamed: number,
});

export type Sample = z.infer<typeof sampleSchema>;
export type ProcessSample = z.infer<typeof processSchema>;
export type TableSample = z.infer<typeof tableSchema>;
