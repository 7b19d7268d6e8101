import { Fault, messageOf } from '@vantage/kernel';
import pg from 'pg';

const timeoutMs = 5_000;

/**
 * Throws a Fault where a pooler lends the server's connections for one transaction or statement: notices (LISTEN),
 * advisory locks and prepared statements belong to a session. A database that cannot be asked is no such case.
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
 * Whether each connection has a server process of its own. A pooler that lends them gives the process of an idle
 * connection to the next transaction, by whatever order it chooses among its free ones: so two others hold transactions
 * open while the first one asks.
 */
async function keepsSessions(url: string): Promise<boolean> {
  const clients = [newClient(url), newClient(url), newClient(url)] as const;
  const [asking, ...holding] = clients;
  try {
    await asking.connect();
    const own = await readPid(asking);
    for (const holder of holding) {
      await holder.connect();
      await holder.query('begin');
      if ((await readPid(holder)) === own) return false;
      // The pooler's last free process may be held now: no answer is the answer of a pooler that lends them.
      const again = await readPid(asking).catch(() => undefined);
      if (again !== own) return false;
    }
    return true;
  } finally {
    // A connection that waits for an answer would be waited for.
    for (const { connection } of clients) connection.stream.destroy();
  }
}

function newClient(connectionString: string): pg.Client {
  const waits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs };
  const client = new pg.Client({ connectionString, ...waits, application_name: 'vantage sessions' });
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
