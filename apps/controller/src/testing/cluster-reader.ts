import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** Reads what tests of a distributed history compare. */
interface ClusterReader {
  /** The stored checks from a moment on, by device and start. */
  storedSince(fromUs: number): Promise<string[]>;
  /** The statuses that the events of a device say from a moment on. */
  statusesSince(deviceNo: number, fromUs: number): Promise<string[]>;
  /** The notes of the open alerts of a device: one about a master that was not verified has a note. */
  notesAbout(deviceNo: number): Promise<(string | null)[]>;
  /** The open run requests for a device. */
  requestsFor(deviceNo: number): Promise<string[]>;
  /** The port of the worker that has the packed days of a device. */
  workerPortOf(deviceNo: number): Promise<number>;
  /** How many shards a worker has. */
  shardsOf(port: number): Promise<number>;
  /** The state of the last move of shards; throws where it failed. */
  moveState(): Promise<'scheduled' | 'running' | 'finished'>;
}

/** Creates the reader of a database. */
export function createClusterReader(kysely: Kysely<Tables>): ClusterReader {
  return {
    async storedSince(fromUs) {
      const { rows } = await sql<{ name: string }>`
        select device_no || '/' || start_us as name from check_rows where start_us >= ${fromUs}::bigint`.execute(
        kysely,
      );
      return rows.map(({ name }) => name).sort();
    },
    async statusesSince(deviceNo, fromUs) {
      const { rows } = await sql<{ type: string }>`
        select type from events where device_no = ${deviceNo} and type in ('Up', 'Down') and at_us >= ${fromUs}::bigint
        order by at_us`.execute(kysely);
      return rows.map(({ type }) => type);
    },
    async notesAbout(deviceNo) {
      const { rows } = await sql<{ note: string | null }>`
        select state ->> 'note' as note from alerts where device_no = ${deviceNo} and closed_us is null`.execute(
        kysely,
      );
      return rows.map(({ note }) => note);
    },
    async requestsFor(deviceNo) {
      const { rows } = await sql<{ id: string }>`
        select run_request_id as id from run_requests where device_no = ${deviceNo} and state = 'Open'`.execute(
        kysely,
      );
      return rows.map(({ id }) => id);
    },
    async workerPortOf(deviceNo) {
      const { rows } = await sql<{ port: number }>`
        select n.nodeport as port from pg_dist_placement p join pg_dist_node n using (groupid)
        where p.shardid = get_shard_id_for_distribution_column('packed_checks', ${deviceNo}::int)`.execute(
        kysely,
      );
      return rows[0]?.port ?? 0;
    },
    async shardsOf(port) {
      const { rows } = await sql<{ shards: number }>`
        select count(*)::int as shards from pg_dist_placement join pg_dist_node using (groupid)
        where nodeport = ${port}::int`.execute(kysely);
      return rows[0]?.shards ?? 0;
    },
    async moveState() {
      const { rows } = await sql<{ state: string; details: unknown }>`
        select state::text, details from citus_rebalance_status()`.execute(kysely);
      const state = rows[0]?.state;
      if (state === 'scheduled' || state === 'running' || state === 'finished') return state;
      throw new Error(`shards do not move: ${JSON.stringify(rows)}`);
    },
  };
}
