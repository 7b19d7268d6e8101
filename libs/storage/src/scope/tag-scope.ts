import { type Kysely, sql } from 'kysely';
import { stateOf } from '../pool/pg-error.ts';
import type { Tables } from '../schema/tables.ts';
import { noViewsText, scopedSchema } from './scope-views.ts';

/** The reasons why a write of a limited caller is refused, by SQLSTATE; migration 0145 defines the first two. */
const refusals: Readonly<Record<string, ScopeRefusal['reason']>> = {
  VS001: 'leaves',
  VS002: 'account',
  '23503': 'taken',
  '23505': 'taken',
};

/** The SQLSTATE of a transaction in which a statement failed (PostgreSQL, appendix A). */
const failedState = '25P02';

/** The SQLSTATE of a missing table or schema. */
const noTableState = '42P01';

/** The database has no views for limited callers. */
export class ScopeNotReady extends Error {}

/**
 * A limited caller wrote a device that would no longer be visible to them (`leaves`), something that belongs to the
 * whole account (`account`), or something that conflicts with a row that they cannot see (`taken`).
 */
export class ScopeRefusal extends Error {
  readonly reason: 'leaves' | 'account' | 'taken';

  constructor(reason: ScopeRefusal['reason'], options: ErrorOptions) {
    super(`a write is refused to a caller who is limited to tags: ${reason}`, options);
    this.reason = reason;
  }
}

/**
 * Runs `work` in the open transaction, limited to the devices that have one of these tags. Throws ScopeRefusal, also
 * where the work failed because it could not see what it wrote, and ScopeNotReady.
 */
export async function workInScope<T>(
  kysely: Kysely<Tables>,
  tagNos: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  await enterScope(kysely, tagNos);
  try {
    return await work();
  } catch (error) {
    throw refusalOf(error) ?? error;
  } finally {
    await checkWrites(kysely);
  }
}

/** Throws ScopeNotReady where the views are missing, because the work would read the tables instead. */
async function enterScope(kysely: Kysely<Tables>, tagNos: readonly number[]): Promise<void> {
  const entering = sql<{ ready: boolean }>`
    select ready,
      set_config('search_path', ${`${scopedSchema}, `} || regexp_replace(current_setting('search_path'), ${`^${scopedSchema}, `}, ''), true),
      set_config('vantage.scope', ${`{${tagNos.join()}}`}, true)
    from ${sql.table(`${scopedSchema}.scope_ready`)}`;
  await entering.execute(kysely).catch((cause: unknown) => {
    if (stateOf(cause) === noTableState) throw new ScopeNotReady(noViewsText, { cause });
    throw cause;
  });
}

/** Checks all writes since `enterScope`. A transaction that has already failed needs no check. */
async function checkWrites(kysely: Kysely<Tables>): Promise<void> {
  try {
    await sql`set constraints all immediate`.execute(kysely);
    await sql`set constraints all deferred`.execute(kysely);
  } catch (error) {
    if (stateOf(error) !== failedState) throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): ScopeRefusal | undefined {
  const reason = refusals[stateOf(error)];
  return reason === undefined ? undefined : new ScopeRefusal(reason, { cause: error });
}
