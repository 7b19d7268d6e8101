import { z } from 'zod';

/** The first frame of a backup, which describes it. */
export const headSchema = z.object({
  /** When the snapshot was taken, microseconds since 1970. */
  atUs: z.number(),
  /** The migrations that created the tables. */
  migrations: z.array(z.string()),
  /** Days with a partition of `check_rows`: `checks_YYYYMMDD`. */
  partitions: z.array(z.string().regex(/^checks_\d{8}$/)),
  /** The last number of each sequence that gave one. */
  sequences: z.record(z.string(), z.string()),
  /** The settings under which the rows were written (`openTextSession`). Early backups used the server's settings. */
  texts: z.enum(['same', 'server']).default('server'),
  /** Files of the controller by name, base64. */
  files: z.record(z.string(), z.string()),
});

export type BackupHead = z.output<typeof headSchema>;

/** The frame at the start of a table. */
export const tableSchema = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });

export interface BackupSize {
  readonly tables: number;
  readonly rows: number;
}

/** The tables that describe one database; backups and copies do not contain them. */
export const tablesOfOneDatabase = ['migrations', 'database_moves', 'copy_changes'];
