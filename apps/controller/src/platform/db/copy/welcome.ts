import { type Clock, Fault } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema.ts';
import { endCapture } from './capture.ts';
import { changeState, readMark, readSealedTarget, removeMark } from './marks.ts';
import { lockCopier, openSession } from './session.ts';
import { decideWelcome, type Mark } from './states.ts';

/** The answer of a database to a controller that starts on it. */
export type DatabaseWelcome =
  | { readonly welcome: 'serve' }
  /** Another database took its place. `sealed`: its URL. */
  | { readonly welcome: 'follow'; readonly copyId: string; readonly target: string; readonly sealed: Buffer }
  | { readonly welcome: 'refuse' };

/**
 * Asks a database whether a controller may use it, before its tables are touched. `from`: the copy for which another
 * database was given up; a copy that was not marked as arrived is marked now. Takes away what a killed copy left.
 */
export async function askDatabase(url: string, from: string | undefined): Promise<DatabaseWelcome> {
  const client = await openSession(url, 'the database');
  try {
    const mark = await readMark(client);
    const welcome = decideWelcome(mark, from);
    if (mark === undefined) return { welcome: 'serve' };
    switch (welcome) {
      case 'follow': {
        const sealed = await readSealedTarget(client);
        if (sealed === undefined) return { welcome: 'refuse' };
        return { welcome, sealed, copyId: mark.copyId, target: mark.target };
      }
      case 'finish':
        await changeState(client, mark.copyId, 'prepared', 'arrived');
        return { welcome: 'serve' };
      case 'serve':
        if (mark.state === 'copying' && (await lockCopier(client))) {
          await endCapture(client);
          await removeMark(client, mark.copyId);
        }
        return { welcome };
      case 'refuse':
        return { welcome };
    }
  } finally {
    await client.end();
  }
}

/** The mark of the database that another one took the place of; undefined: this one is in use. */
export async function movedMark(url: string): Promise<Mark | undefined> {
  const client = await openSession(url, 'the database');
  try {
    const mark = await readMark(client);
    return mark?.state === 'moved' ? mark : undefined;
  } finally {
    await client.end();
  }
}

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
