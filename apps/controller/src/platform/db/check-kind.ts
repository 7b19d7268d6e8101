import { type RawBuilder, sql } from 'kysely';

/** Conditions over a row of `checks`; exactly one of them holds. Statistics are of regular checks only. */
export const checkKind: Readonly<Record<'regular' | 'retry' | 'onRequest', RawBuilder<boolean>>> = {
  regular: sql<boolean>`(attempt = 0 and run_request_id is null)`,
  retry: sql<boolean>`(attempt > 0)`,
  onRequest: sql<boolean>`(attempt = 0 and run_request_id is not null)`,
};
