import { dayUs } from '@vantage/domain';
import { type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { toText } from '../rows/column-values.ts';
import type { Tables } from '../schema/tables.ts';
import type { FailedItem } from './bisect-batch.ts';

const maxReasonLength = 500;
const keptUs = 30 * dayUs;
const maxKept = 100_000;

/** Stores the items for which a job failed, each with the reason. One log line reports the new items of the job. */
export async function quarantine(
  db: Kysely<Tables>,
  failed: readonly FailedItem<string>[],
  { job, nowUs, log }: { readonly job: string; readonly nowUs: number; readonly log: Logger },
): Promise<void> {
  if (failed.length === 0) return;
  const reasons = new Map(failed.map(({ item, error }) => [item, toText(messageOf(error), maxReasonLength)]));
  const { rows } = await sql<{ item: string; reason: string; is_new: boolean }>`
    insert into job_quarantine (job, item, reason, first_failed_us, last_failed_us)
    select ${job}, item, reason, ${nowUs}::bigint, ${nowUs}::bigint
    from unnest(${[...reasons.keys()]}::text[], ${[...reasons.values()]}::text[]) as failed (item, reason)
    on conflict (job, item) do update set reason = excluded.reason, last_failed_us = excluded.last_failed_us
    returning item, reason, first_failed_us = last_failed_us as is_new`.execute(db);
  const fresh = rows.filter((row) => row.is_new);
  const [first] = fresh;
  if (first)
    log.warn(
      { job, items: fresh.length, item: first.item, reason: first.reason },
      'a job quarantined the items that failed, and continues with the others',
    );
}

/** Deletes the items that did not fail in the last 30 days, and the oldest beyond 100,000. */
export async function dropQuarantined(db: Kysely<Tables>, nowUs: number): Promise<void> {
  await sql`
    delete from job_quarantine where last_failed_us < ${nowUs - keptUs}::bigint
      or last_failed_us < (select last_failed_us from job_quarantine order by last_failed_us desc offset ${maxKept} limit 1)`.execute(
    db,
  );
}
