import type pg from 'pg';

/** The server's process of a connection. */
export interface Session {
  readonly pid: number;
  /** The run of the server: another host, or the same one after a restart, has another. */
  readonly server: string;
}

/** The run of the server: when it started, which two servers never have in common. */
export const serverRun = 'extract(epoch from pg_postmaster_start_time())::text';
/** Columns of the own session. A pooler's connection does not know its process otherwise. */
export const ownSession = `pg_backend_pid() as pid, ${serverRun} as server`;

/** Reads the row of a statement with the columns of `ownSession`. */
export function readSession({ rows: [row] }: pg.QueryResult<Session>): Session | undefined {
  return row && { pid: row.pid, server: row.server };
}
