import pg from 'pg';
import { clientConfig } from './client-config.ts';
import { cutConnection } from './connection-cut.ts';

/** A connection for one query; a broken connection is replaced at the next call. */
export interface Poller<Answer> {
  /** Rejects when the server does not answer in time. */
  poll(values?: readonly unknown[]): Promise<Answer>;
  close(): void;
}

/** Creates a poller whose login and query may take `limitMs` each. No connection is opened yet. */
export function createPoller<Answer extends pg.QueryResultRow>({
  url,
  name,
  statement,
  limitMs,
}: {
  readonly url: string;
  readonly name: string;
  readonly statement: string;
  readonly limitMs: number;
}): Poller<Answer> {
  let open: pg.Client | undefined;
  const connect = async () => {
    const waits = { connectionTimeoutMillis: limitMs, query_timeout: limitMs };
    const client = new pg.Client({ ...clientConfig(url, name), ...waits });
    client.on('error', () => {});
    open = client;
    await client.connect();
    return client;
  };
  const close = () => {
    // `end` would wait for a server that does not answer.
    if (open !== undefined) cutConnection(open);
    open = undefined;
  };
  return {
    async poll(values = []) {
      try {
        const client = open ?? (await connect());
        const [answer] = (await client.query<Answer>(statement, [...values])).rows;
        if (answer === undefined) throw new Error('the server gave no answer');
        return answer;
      } catch (error) {
        close();
        throw error;
      }
    },
    close,
  };
}
