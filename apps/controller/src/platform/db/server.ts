import { type Clock, Fault, type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { isServerAway, isServerBusy } from './pg-error.ts';
import type { Tables } from './schema.ts';
import { tlsAdvice } from './tls-advice.ts';

const leastVersion = 15;
const lookAgainMs = 1_000;
/** The longest pause between two attempts. */
const maxLookAgainMs = 15_000;

/** How a start waits for a server that accepts no connection at the moment. */
interface Waiting {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ending: AbortSignal;
  readonly log: Pick<Logger, 'warn'>;
  /** Hears once why the start waits. */
  readonly onWait: (text: string) => void;
}

function tell({ log, onWait }: Waiting, text: string): void {
  log.warn(text);
  onWait(text);
}

/**
 * Checks that the server answers and is new enough; throws a Fault whose message names the setting to change. With
 * `waiting` a server that is not reached, or accepts no connection at the moment (it starts, recovers, or has none
 * free), is waited for until `ending` aborts: after a boot it may come later than the controller. One that refuses the
 * login, or has a wrong name or certificate, is not.
 */
export async function requireSupportedServer(kysely: Kysely<Tables>, waiting?: Waiting): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const found = await readVersion(kysely).catch(async (fault: unknown) => {
      if (waiting === undefined || waiting.ending.aborted) throw fault;
      if (!isServerBusy(fault) && !isServerAway(fault)) throw fault;
      if (tries === 0) tell(waiting, `${messageOf(fault)}; waiting for it`);
      const waitMs = Math.min(maxLookAgainMs, lookAgainMs * 2 ** Math.min(tries, 10));
      await waiting.clock.sleep(waitMs, waiting.ending).catch(() => {});
      return undefined;
    });
    if (found !== undefined) return requireVersion(found);
  }
}

interface ServerVersion {
  readonly version: number;
  readonly name: string;
}

function requireVersion({ version, name }: ServerVersion): void {
  if (version < leastVersion * 10_000)
    throw new Fault(
      'stop',
      'database_old',
      `the database is PostgreSQL ${name}; ${leastVersion} or later is needed (VANTAGE_DATABASE_URL)`,
    );
}

async function readVersion(kysely: Kysely<Tables>): Promise<ServerVersion | undefined> {
  const { rows } = await sql<ServerVersion>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as name`
    .execute(kysely)
    .catch((cause: unknown) => {
      throw new Fault(
        'retry',
        'database_away',
        `the database cannot be reached: ${[messageOf(cause), tlsAdvice(cause)].filter((text) => text !== undefined).join('; ')} (VANTAGE_DATABASE_URL)`,
        { cause },
      );
    });
  return rows[0];
}
