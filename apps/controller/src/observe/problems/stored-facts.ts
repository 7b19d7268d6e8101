import { dayUs } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { areHotTablesDistributed, workerStates } from '@vantage/storage/distribute';
import { type Kysely, sql } from 'kysely';
import type { JobFacts } from '../metrics/job-store.ts';

/** The ages of the newest backup and of the newest verified one, seconds; null: there is none. */
export interface BackupAges {
  readonly made: number | null;
  readonly verified: number | null;
}

/** Days of devices by what a comparison of sums with checks found. */
export interface SumFacts {
  /** Sums that were computed again in the last week. */
  readonly repaired: number;
  /** Checks that are damaged, or were found missing in the last week; their sums are kept. */
  readonly damaged: number;
}

/** The facts for findings that come from the database. */
export interface StoredFacts {
  readonly backups: BackupAges;
  /** The age of the oldest account, seconds; 0 without one. */
  readonly ageS: number;
  /** Messages wait for a contact that has failed for some minutes. */
  readonly isContactFailing: boolean;
  /** The workers of a distributed history (`HOST:PORT`) that the coordinator does not reach. */
  readonly workersAway: readonly string[];
  /** Days of devices whose sums differed from their checks. */
  readonly sums: SumFacts;
  /** Tables that belong to the coordinator are on workers, as version 0.3.0 placed them. */
  readonly areTablesOnWorkers: boolean;
  readonly jobs: JobFacts | undefined;
}

/** A contact that failed for less time may be reached by the next attempts. */
const failingForUs = 120_000_000;

/** A difference is shown for this time. */
const shownUs = 7 * dayUs;

/** Reads the facts by the clock of the database, because the clocks of controllers may be wrong. */
export async function readStoredFacts(
  kysely: Kysely<Tables>,
  readJobs: () => Promise<JobFacts | undefined>,
): Promise<StoredFacts> {
  const nowUs = sql`(extract(epoch from clock_timestamp()) * 1e6)::bigint`;
  const { rows } = await sql<BackupAges & SumFacts & Pick<StoredFacts, 'ageS' | 'isContactFailing'>>`
    select (select count(*)::int from sum_differences where outcome = 'repaired' and found_us > ${nowUs} - ${shownUs}::bigint) as repaired,
      (select count(*)::int from sum_differences where outcome = 'damaged'
        or outcome = 'missing' and found_us > ${nowUs} - ${shownUs}::bigint) as damaged,
      ((${nowUs} - b.at_us) / 1000000)::float8 as made, ((${nowUs} - b.verified_us) / 1000000)::float8 as verified,
      coalesce((select extract(epoch from clock_timestamp() - min(created_at)) from accounts), 0)::float8 as "ageS",
      exists (
        select from contact_health h where h.failing_since_us < ${nowUs} - ${failingForUs}::bigint
          and exists (select from notifications n where n.contact_no = h.contact_no and n.state = 'Pending')
      ) as "isContactFailing"
    from (select 1) one left join last_backup b on true`.execute(kysely);
  const { made = null, verified = null, ageS = 0, isContactFailing = false } = rows[0] ?? {};
  const { repaired = 0, damaged = 0 } = rows[0] ?? {};
  const workers = await workerStates(kysely);
  return {
    backups: { made, verified },
    ageS,
    isContactFailing,
    workersAway: workers.filter(({ isUp }) => !isUp).map(({ worker }) => worker),
    sums: { repaired, damaged },
    areTablesOnWorkers: await areHotTablesDistributed(kysely),
    jobs: await readJobs(),
  };
}
