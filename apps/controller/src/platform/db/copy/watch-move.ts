import { type Clock, Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';

const everyMs = 1_000;

/**
 * Looks each second whether another database took the place of this one, until the signal aborts. Throws a Fault then:
 * the controller ends, and uses the other database when it is started again.
 */
export async function watchMove(
  { kysely, clock }: { readonly kysely: Kysely<Tables>; readonly clock: Pick<Clock, 'sleep'> },
  ending: AbortSignal,
): Promise<void> {
  while (!ending.aborted) {
    const target = await movedTo(kysely);
    if (target !== undefined)
      throw new Fault(
        'retry',
        'database_moved',
        `the database was copied to ${target}: the controller uses it from its next start on`,
      );
    await clock.sleep(everyMs, ending).catch(() => {});
  }
}

/** Other parts say that the database is away. */
async function movedTo(kysely: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ target: string }>`select target from database_moves where state = 'moved'`
    .execute(kysely)
    .catch(() => ({ rows: [] }));
  return rows[0]?.target;
}
