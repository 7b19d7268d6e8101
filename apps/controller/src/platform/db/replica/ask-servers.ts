import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { isDistributedSql } from '../distribute/history-tables.ts';
import {
  decideReplica,
  type PrimaryHistory,
  type ServerHistory,
  type Verdict,
} from './replica-eligibility.ts';

/** A server that does not answer for so long is away. */
const timeoutMs = 2_000;

/** A connection for one question, which is opened again after it broke. */
export interface Asker<Answer> {
  /** Rejects where the server does not answer within 2 s. */
  ask(): Promise<Answer>;
  close(): void;
}

/** The answer of a primary. */
type Primary = PrimaryHistory & { readonly position: number };

/** The answer of a replica; `replayed` is null on a server that never was one. */
type Replica = ServerHistory & { readonly isStandby: boolean; readonly replayed: number | null };

const identity = `(select system_identifier::text from pg_control_system()) as system,
  (select oid::text from pg_database where datname = current_database()) as database`;

/** Asks a primary how far it wrote. A server in recovery rejects. */
export function createPrimaryAsker(url: string): Asker<Primary> {
  return createAsker(
    url,
    `select ${identity}, ${isDistributedSql} as "isDistributed", pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
  );
}

/**
 * Asks a replica how far it replayed. Its timeline is that of the newest of its restart points, its recovery and, where
 * the role may see it (pg_read_all_stats), its receiver: each of them is on the timeline before it is replayed.
 */
export function createReplicaAsker(url: string): Asker<Replica> {
  return createAsker(
    url,
    `select ${identity}, pg_is_in_recovery() as "isStandby",
      pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as replayed,
      greatest((select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver),
        (select min_recovery_end_timeline from pg_control_recovery())) as timeline`,
  );
}

function createAsker<Answer extends pg.QueryResultRow>(url: string, question: string): Asker<Answer> {
  let open: pg.Client | undefined;
  const close = () => {
    // A server that does not answer would be waited for.
    open?.connection.stream.destroy();
    open = undefined;
  };
  return {
    async ask() {
      try {
        open ??= await connect(url);
        const [answer] = (await open.query<Answer>(question)).rows;
        if (answer === undefined) throw new Error('the server gave no answer');
        return answer;
      } catch (error) {
        close();
        throw error;
      }
    },
    close,
  };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const waits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const client = new pg.Client({ connectionString, ...waits, application_name: 'vantage replica' });
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** A replica that lacks for so long what the primary wrote is behind. */
const maxAgeMs = 3_000;
const againMs = 50;

/** Polls both servers once: whether history may be read from the replica, and its greatest age. */
export async function examineReplica(
  primaryUrl: string,
  url: string,
): Promise<{ readonly kind: 'used'; readonly ageMs: number } | Exclude<Verdict, { readonly kind: 'used' }>> {
  const [primary, replica] = [createPrimaryAsker(primaryUrl), createReplicaAsker(url)];
  try {
    const fromMs = performance.now();
    const written = await primary.ask();
    for (;;) {
      const facts = await replica.ask();
      const ageMs = performance.now() - fromMs;
      const answer = { kind: 'answer', ...facts } as const;
      const verdict = decideReplica({ primary: written, replica: answer, ageMs, maxAgeMs, wasUsed: true });
      if (verdict.kind !== 'used') return verdict;
      if ((facts.replayed ?? 0) >= written.position) return { kind: 'used', ageMs };
      await delay(againMs);
    }
  } finally {
    primary.close();
    replica.close();
  }
}
