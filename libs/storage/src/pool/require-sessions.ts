import { Fault, messageOf } from '@vantage/kernel';
import pg from 'pg';
import { clientConfig, timeoutMs } from './client-config.ts';
import { cutConnection } from './connection-cut.ts';

/**
 * Throws a Fault where a pooler assigns the server's connections per transaction or statement: notices (LISTEN),
 * advisory locks and prepared statements belong to a session. An unreachable database passes.
 */
export async function requireSessions(url: string): Promise<void> {
  const keeps = await keepsSessions(url).catch((error: unknown) => !isStatementMode(error));
  if (keeps) return;
  throw new Fault(
    'stop',
    'database_pooled',
    `the database is behind a connection pooler that keeps no sessions, which notices (LISTEN), advisory locks and prepared statements need (VANTAGE_DATABASE_URL): set pool_mode=session in PgBouncer for this database, or connect to PostgreSQL directly`,
  );
}

/**
 * Whether each connection has its own server process. A pooler in another mode gives the process of an idle connection
 * to the next transaction, and picks any of its free processes. Two other connections therefore keep transactions open
 * while the first one reads the number of its process.
 */
async function keepsSessions(url: string): Promise<boolean> {
  const clients = [newClient(url), newClient(url), newClient(url)] as const;
  const [first, ...others] = clients;
  try {
    await first.connect();
    const pid = await readPid(first);
    for (const other of others) {
      await other.connect();
      await other.query('begin');
      if ((await readPid(other)) === pid) return false;
      // No answer: the transactions may occupy the last processes of such a pooler.
      const pidNow = await readPid(first).catch(() => undefined);
      if (pidNow !== pid) return false;
    }
    return true;
  } finally {
    // `end` would wait for a connection that waits for an answer.
    for (const client of clients) cutConnection(client);
  }
}

function newClient(url: string): pg.Client {
  const client = new pg.Client({ ...clientConfig(url, 'vantage sessions'), query_timeout: timeoutMs });
  client.on('error', () => {});
  return client;
}

async function readPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

function isStatementMode(error: unknown): boolean {
  return /statement pooling mode/i.test(messageOf(error));
}
