import { type Kysely, sql } from 'kysely';
import { workerStates } from '../../platform/db/distribute/index.ts';
import type { Tables } from '../../platform/db/index.ts';
import type { JobFacts } from '../metrics/process-store.ts';

/** The ages of the newest backup and of the newest verified one, seconds; null: there is none. */
export interface BackupAges {
  readonly made: number | null;
  readonly verified: number | null;
}

/** The facts for findings that the database has. */
export interface StoredFacts {
  readonly backups: BackupAges;
  /** The age of the oldest account, seconds; 0 without one. */
  readonly ageS: number;
  /** Messages wait for a contact that has failed for some minutes. */
  readonly isContactFailing: boolean;
  /** The workers of a distributed history (`HOST:PORT`) that the coordinator does not reach. */
  readonly workersAway: readonly string[];
  readonly jobs: JobFacts | undefined;
}

/** A contact that failed for less time may be reached by the next attempts. */
const failingForUs = 120_000_000;

/** Reads them, by the clock of the database: those of the controllers may be wrong. */
export async function readStoredFacts(
  kysely: Kysely<Tables>,
  readJobs: () => Promise<JobFacts | undefined>,
): Promise<StoredFacts> {
  const nowUs = sql`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;
  const { rows } = await sql<BackupAges & Pick<StoredFacts, 'ageS' | 'isContactFailing'>>`
    select ((${nowUs} - b.at_us) / 1000000)::float8 as made, ((${nowUs} - b.verified_us) / 1000000)::float8 as verified,
      coalesce((select extract(epoch from clock_timestamp() - min(created_at)) from accounts), 0)::float8 as "ageS",
      exists (
        select from contact_health h where h.failing_since_us < ${nowUs} - ${failingForUs}::bigint
          and exists (select from notifications n where n.contact_no = h.contact_no and n.state = 'Pending')
      ) as "isContactFailing"
    from (select 1) one left join last_backup b on true`.execute(kysely);
  const { made = null, verified = null, ageS = 0, isContactFailing = false } = rows[0] ?? {};
  const workers = await workerStates(kysely);
  return {
    backups: { made, verified },
    ageS,
    isContactFailing,
    workersAway: workers.filter(({ isUp }) => !isUp).map(({ worker }) => worker),
    jobs: await readJobs(),
  };
}
