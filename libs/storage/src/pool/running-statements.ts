import { timeoutMs } from './client-config.ts';
import { isServerBusy } from './pg-error.ts';
import { createPoller } from './poller.ts';
import { type Session, serverRun } from './session.ts';

/**
 * The sessions of this role whose statement runs. One that writes its answer to a client that does not read, or reads
 * the rows of a COPY, does not: the connection lost bytes. Citus waits for its workers under the name of `ClientRead`.
 */
const statement = `select ${serverRun} as server, array(
    select pid from pg_stat_activity
    where usename = current_user and state = 'active' and wait_event is distinct from 'ClientWrite'
      and not (wait_event is not distinct from 'ClientRead' and pid in (select pid from pg_stat_progress_copy))
  ) as running`;

/**
 * Creates the function that asks a server, over a new connection, whether it still runs the statement of a session. It
 * rejects when the server does not answer within 5 s. Questions of one moment share an answer.
 */
export function createRunningStatements(url: string): (session: Session | undefined) => Promise<boolean> {
  let asking: Promise<{ server: string; running: number[] } | 'busy'> | undefined;
  const ask = async () => {
    const poller = createPoller<{ server: string; running: number[] }>({
      url,
      name: 'vantage statements',
      statement,
      limitMs: timeoutMs,
    });
    try {
      return await poller.poll();
    } catch (error) {
      // It answers, so its own limits end the statement.
      if (isServerBusy(error)) return 'busy';
      throw error;
    } finally {
      poller.close();
      asking = undefined;
    }
  };
  return async (session) => {
    if (session === undefined) return false;
    asking ??= ask();
    const found = await asking;
    if (found === 'busy') return true;
    return found.server === session.server && found.running.includes(session.pid);
  };
}
