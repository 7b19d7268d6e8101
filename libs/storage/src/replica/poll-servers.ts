import { isDistributedSql } from '../distribute/history-tables.ts';
import { createPoller, type Poller } from '../pool/poller.ts';
import type { PrimaryHistory, ServerHistory } from './replica-eligibility.ts';

/** A server that does not answer within this time is unreachable. */
const limitMs = 2_000;
const name = 'vantage replica';

type PrimaryFacts = PrimaryHistory & { readonly position: number };

/** `replayed` is null on a server that was never a replica. */
type ReplicaFacts = ServerHistory & { readonly isStandby: boolean; readonly replayed: number | null };

const identity = `(select system_identifier::text from pg_control_system()) as system,
  (select oid::text from pg_database where datname = current_database()) as database`;

/** Reads the position of a primary's WAL. Rejects for a server in recovery. */
export function createPrimaryPoller(url: string): Poller<PrimaryFacts> {
  return createPoller({
    url,
    name,
    limitMs,
    statement: `select ${identity}, ${isDistributedSql} as "isDistributed", pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
  });
}

/**
 * Reads how far a replica has replayed. Its timeline is the newest one of its restart point, its recovery and, where
 * the role may see it (pg_read_all_stats), its receiver: each of them reaches a timeline before it is replayed.
 */
export function createReplicaPoller(url: string): Poller<ReplicaFacts> {
  return createPoller({
    url,
    name,
    limitMs,
    statement: `select ${identity}, pg_is_in_recovery() as "isStandby",
      pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::float8 as replayed,
      greatest((select timeline_id from pg_control_checkpoint()), (select received_tli from pg_stat_wal_receiver),
        (select min_recovery_end_timeline from pg_control_recovery())) as timeline`,
  });
}
