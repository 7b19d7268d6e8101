import { joinSpans, type Span } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** A span in which one controller received calls. */
export interface ReceiverSpan extends Span {
  readonly receiverNo: number;
  readonly controllerId: string;
  /** The controller said that it ended. */
  readonly ended: boolean;
}

/** Begins a span of a controller, and ends the one before. Returns its number. */
export async function beginSpan(db: Kysely<Tables>, controllerId: string, fromUs: number): Promise<number> {
  const { rows } = await sql<{ receiver_no: number }>`
    with before as (update push_receivers set ended = true where controller_id = ${controllerId} and not ended)
    insert into push_receivers (controller_id, from_us, to_us) values (${controllerId}, ${fromUs}::bigint, ${fromUs}::bigint)
    returning receiver_no`.execute(db);
  return rows[0]?.receiver_no ?? 0;
}

/** Extends a span; false: it is gone. */
export async function extendSpan(
  db: Kysely<Tables>,
  receiverNo: number,
  { toUs, ended }: { readonly toUs: number; readonly ended: boolean },
): Promise<boolean> {
  const { rows } = await sql`
    update push_receivers set to_us = greatest(to_us, ${toUs}::bigint), ended = ${ended}
    where receiver_no = ${receiverNo} returning receiver_no`.execute(db);
  return rows.length > 0;
}

/** A clock that was set back leaves no span in the future. */
export async function clampSpans(db: Kysely<Tables>, nowUs: number): Promise<void> {
  await sql`
    update push_receivers set from_us = least(from_us, ${nowUs}::bigint), to_us = ${nowUs}::bigint
    where to_us > ${nowUs}::bigint`.execute(db);
}

/** The spans that reach beyond `fromUs`. */
export async function spansSince(db: Kysely<Tables>, fromUs: number): Promise<readonly ReceiverSpan[]> {
  const { rows } = await sql<ReceiverSpan>`
    select receiver_no as "receiverNo", controller_id as "controllerId", from_us as "fromUs", to_us as "toUs", ended
    from push_receivers where to_us >= ${fromUs}::bigint order by from_us`.execute(db);
  return rows;
}

/** Deletes spans that nothing reads. */
export async function dropOldSpans(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from push_receivers where to_us < ${beforeUs}::bigint`.execute(db);
}

/** A controller that did not extend its span for this long does not serve. */
const silentUs = 30_000_000;

/**
 * The moment before which every call is stored: where the slowest controller that serves is. undefined: none serves.
 * Pure.
 */
export function confirmedUs(spans: readonly ReceiverSpan[], nowUs: number): number | undefined {
  const live = spans.filter(({ ended, toUs }) => !ended && toUs > nowUs - silentUs);
  return live.length === 0 ? undefined : Math.min(...live.map(({ toUs }) => toUs));
}

/** The spans between two moments in which no controller received calls. Pure. */
export function outagesIn(spans: readonly Span[], { fromUs, toUs }: Span): Span[] {
  const outages: Span[] = [];
  let doneUs = fromUs;
  for (const span of joinSpans(spans)) {
    if (span.fromUs > doneUs && doneUs < toUs)
      outages.push({ fromUs: doneUs, toUs: Math.min(span.fromUs, toUs) });
    doneUs = Math.max(doneUs, span.toUs);
  }
  if (doneUs < toUs) outages.push({ fromUs: doneUs, toUs });
  return outages;
}
