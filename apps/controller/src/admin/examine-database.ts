import type { OperatorAnswers } from '@vantage/domain/operator-commands';
import { messageOf } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { examineReplica } from '@vantage/storage/replica';
import { type Kysely, sql } from 'kysely';

type DatabaseFindings = OperatorAnswers['database.examine'];
type DatabaseFinding = DatabaseFindings[number];

/** A larger lag of a replica, s, is a warning. */
const maxLagS = 60;

/** A server that streams from this one; null: the role may not read the value. */
interface Standby {
  readonly name: string | null;
  readonly address: string | null;
  readonly state: string | null;
  readonly sync: string | null;
  readonly lagBytes: number | null;
  readonly lagS: number | null;
}

/** Examines the database, its replicas, and the replica of `readUrl` if there is one. */
export async function examineDatabase(
  kysely: Kysely<Tables>,
  readUrl: string | undefined,
  url: string,
): Promise<DatabaseFindings> {
  const { rows } = await sql<{ version: string; timeline: number; role: string; sees: boolean }>`
    select current_setting('server_version') as version, current_user as role,
      pg_has_role(current_user, 'pg_read_all_stats', 'usage') as sees,
      ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`.execute(kysely);
  const { rows: standbys } = await sql<Standby>`
    select application_name as name, host(client_addr) as address, state, sync_state as sync,
      pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as "lagBytes",
      extract(epoch from replay_lag)::float8 as "lagS"
    from pg_stat_replication order by application_name, client_addr`.execute(kysely);
  const found = rows.flatMap(
    ({ version, timeline, role, sees }): DatabaseFindings => [
      {
        level: 'ok',
        step: 'database',
        text: `PostgreSQL ${version}, timeline ${timeline}; it keeps sessions`,
      },
      ...judgeStandbys(standbys, { role, sees }),
    ],
  );
  return readUrl === undefined ? found : [...found, await judgeReadReplica(url, readUrl)];
}

/** The findings about the servers that stream from this one. Pure. */
export function judgeStandbys(
  standbys: readonly Standby[],
  { role, sees }: { readonly role: string; readonly sees: boolean },
): DatabaseFindings {
  const step = 'replication';
  if (standbys.length === 0) return [{ level: 'ok', step, text: 'no replica is connected' }];
  if (!sees)
    return [
      {
        level: 'warning',
        step,
        text: `${standbys.length} connected, and the role ${role} may not see how far behind they are`,
        remedy: `As a superuser of the database: grant pg_monitor to ${role}.`,
      },
    ];
  return standbys.map(judgeStandby);
}

function judgeStandby({ name, address, state, sync, lagBytes, lagS }: Standby): DatabaseFinding {
  const step = 'replication';
  const seconds = lagS === null ? '' : `, ${lagS.toFixed(1)} s`;
  const behind = lagBytes === null ? 'it has replayed nothing yet' : `${lagBytes} bytes${seconds} behind`;
  const text = `${name} (${address ?? 'by socket'}) is ${state}, ${sync}: ${behind}`;
  if (state === 'streaming' && (lagS ?? 0) <= maxLagS) return { level: 'ok', step, text };
  const remedy =
    'Look at its log, its disk and the network to it; a failover to it now would lose what it lacks.';
  return { level: 'warning', step, text, remedy };
}

async function judgeReadReplica(url: string, readUrl: string): Promise<DatabaseFinding> {
  const step = 'read replica';
  const remedy =
    'History is read from the primary meanwhile. docs/operate.md, "Read history from a replica", has the cases.';
  const seen = await examineReplica(url, readUrl).catch((error: unknown) => ({
    kind: 'away' as const,
    reason: `it cannot be examined: ${messageOf(error)}`,
  }));
  return seen.kind === 'used'
    ? { level: 'ok', step, text: `it is at most ${(seen.ageMs / 1000).toFixed(1)} s behind` }
    : { level: 'warning', step, text: seen.reason, remedy };
}
