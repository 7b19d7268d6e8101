import { type Clock, Fault } from '@vantage/kernel';
import type { Tables } from '@vantage/storage/tables';
import { type Kysely, sql } from 'kysely';
import { endCapture } from './capture-changes.ts';
import { lockCopier, openSession } from './copy-session.ts';
import { changeState, readMove, readSealedTarget, removeMove } from './database-moves.ts';
import { type DatabaseMove, decideUse } from './decide-copy.ts';

/** Whether a controller that starts may use a database. */
export type DatabaseUse =
  | { readonly kind: 'serve' }
  /** Another database replaced it. `sealed`: its URL. */
  | { readonly kind: 'follow'; readonly copyId: string; readonly target: string; readonly sealed: Buffer }
  | { readonly kind: 'refuse' };

/**
 * Checks whether a controller may use a database, before its tables are touched. `from`: the copyId that the replaced
 * database named; a copy in the state `prepared` becomes `arrived`. Removes what a killed copy left.
 */
export async function checkDatabaseUse(url: string, from: string | undefined): Promise<DatabaseUse> {
  const client = await openSession(url, 'the database');
  try {
    const move = await readMove(client);
    const kind = decideUse(move, from);
    if (move === undefined) return { kind: 'serve' };
    switch (kind) {
      case 'follow': {
        const sealed = await readSealedTarget(client);
        if (sealed === undefined) return { kind: 'refuse' };
        return { kind, sealed, copyId: move.copyId, target: move.target };
      }
      case 'finish':
        await changeState(client, move.copyId, 'prepared', 'arrived');
        return { kind: 'serve' };
      case 'serve':
        if (move.state === 'copying' && (await lockCopier(client))) {
          await endCapture(client);
          await removeMove(client, move.copyId);
        }
        return { kind };
      case 'refuse':
        return { kind };
    }
  } finally {
    await client.end();
  }
}

/** The move of a database to the copy that replaced it; undefined: the database is in use. */
export async function findSuccessor(url: string): Promise<DatabaseMove | undefined> {
  const client = await openSession(url, 'the database');
  try {
    const move = await readMove(client);
    return move?.state === 'moved' ? move : undefined;
  } finally {
    await client.end();
  }
}

const everyMs = 1_000;

/**
 * Checks every second, until the signal aborts, whether a copy replaced the database. Throws a Fault then: the
 * controller ends, and uses the copy from its next start on.
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

/** Ignores errors, because other parts report an unreachable database. */
async function movedTo(kysely: Kysely<Tables>): Promise<string | undefined> {
  const { rows } = await sql<{ target: string }>`select target from database_moves where state = 'moved'`
    .execute(kysely)
    .catch(() => ({ rows: [] }));
  return rows[0]?.target;
}
