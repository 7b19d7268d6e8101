import { dayUs } from '@vantage/domain';
import { type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Refused } from './bisect-batch.ts';
import { toText } from './column-values.ts';
import type { Tables } from './schema.ts';

const longestReason = 500;
const keptUs = 30 * dayUs;
const maxKept = 100_000;

/**
 * Stores the items for which a job failed, each with its reason. Items that are new in the job's quarantine are logged
 * in one line.
 */
export async function quarantine(
  db: Kysely<Tables>,
  refused: readonly Refused<string>[],
  { job, nowUs, log }: { readonly job: string; readonly nowUs: number; readonly log: Logger },
): Promise<void> {
  if (refused.length === 0) return;
  const reasons = new Map(refused.map(({ item, error }) => [item, toText(messageOf(error), longestReason)]));
  const { rows } = await sql<{ item: string; reason: string; is_new: boolean }>`
    insert into job_quarantine (job, item, reason, first_failed_us, last_failed_us)
    select ${job}, item, reason, ${nowUs}::bigint, ${nowUs}::bigint
    from unnest(${[...reasons.keys()]}::text[], ${[...reasons.values()]}::text[]) as given (item, reason)
    on conflict (job, item) do update set reason = excluded.reason, last_failed_us = excluded.last_failed_us
    returning item, reason, first_failed_us = last_failed_us as is_new`.execute(db);
  const fresh = rows.filter((row) => row.is_new);
  const [first] = fresh;
  if (first)
    log.warn(
      { job, items: fresh.length, item: first.item, reason: first.reason },
      'a job quarantined items that failed and goes on with the others',
    );
}

/** Deletes items that did not fail again for 30 days, and the oldest above 100,000. */
export async function dropQuarantined(db: Kysely<Tables>, nowUs: number): Promise<void> {
  await sql`
    delete from job_quarantine where last_failed_us < ${nowUs - keptUs}::bigint
      or last_failed_us < (select last_failed_us from job_quarantine order by last_failed_us desc offset ${maxKept} limit 1)`.execute(
    db,
  );
}
