import { type Clock, Fault, type Logger, messageOf } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';
import { isServerBusy, isServerUnreachable } from './pg-error.ts';
import { tlsAdvice } from './tls-advice.ts';

const minVersion = 15;
/** The first pause between two attempts; each pause is twice as long as the one before, up to the maximum. */
const pauseMs = 1_000;
const maxPauseMs = 15_000;

/** For a start that waits until the server accepts connections. */
interface ServerWait {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly ending: AbortSignal;
  readonly log: Pick<Logger, 'warn'>;
  /** Called once with the reason why the start waits. */
  readonly onWait: (text: string) => void;
}

function reportWait({ log, onWait }: ServerWait, text: string): void {
  log.warn(text);
  onWait(text);
}

/**
 * Checks that the server answers and is new enough; throws a Fault whose message names the setting to change. With
 * `waiting` it waits, until `ending` aborts, for a server that is unreachable or accepts no connection at the moment
 * (it starts, recovers, or has none free): after a boot the server may start later than the controller. It does not
 * wait for a server that rejects the login, or has a wrong name or certificate.
 */
export async function requireSupportedServer(kysely: Kysely<Tables>, waiting?: ServerWait): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const found = await readVersion(kysely).catch(async (fault: unknown) => {
      if (waiting === undefined || waiting.ending.aborted) throw fault;
      if (!isServerBusy(fault) && !isServerUnreachable(fault)) throw fault;
      if (tries === 0) reportWait(waiting, `${messageOf(fault)}; waiting for it`);
      const waitMs = Math.min(maxPauseMs, pauseMs * 2 ** Math.min(tries, 10));
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
  if (version < minVersion * 10_000)
    throw new Fault(
      'stop',
      'database_old',
      `the database is PostgreSQL ${name}; ${minVersion} or later is needed (VANTAGE_DATABASE_URL)`,
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
