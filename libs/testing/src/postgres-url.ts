import pg from 'pg';

/** The same server, another database. (A socket's URL has no host, so WHATWG's URL cannot read it.) */
export function inDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, (_, server: string) => `${server}/${name}`);
}

/** Another connection is in the database, or the drop waited for too long for the server's other processes. */
const passing = ['55006', '57014'];
/** Citus connects to its databases again and again, also on a machine that has no time for the rest. */
const tries = 20;

/**
 * Ends the connections of this role to a database and drops it. PostgreSQL refuses `drop database … with (force)` to an
 * ordinary role while autovacuum works there; a plain drop waits for autovacuum.
 */
export async function dropDatabase(server: string, name: string): Promise<void> {
  await withClient(server, async (client) => {
    await client.query(`set statement_timeout = '20s'`);
    for (let left = tries; ; left -= 1) {
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = current_user',
        [name],
      );
      try {
        await client.query(`drop database if exists ${name}`);
        return;
      } catch (error) {
        const isPassing = error instanceof pg.DatabaseError && passing.includes(error.code ?? '');
        if (left === 0 || !isPassing) throw error;
      }
    }
  });
}

/**
 * Creates a database like another one. Citus opens a connection to that one now and then, which is ended. To copy the
 * files costs half of what it costs to write each page to the log.
 */
export async function copyDatabase(server: string, template: string, name: string): Promise<void> {
  await withClient(server, async (client) => {
    for (let left = tries; ; left -= 1)
      try {
        await client.query(`create database ${name} template ${template} strategy file_copy`);
        return;
      } catch (error) {
        const isUsed = error instanceof pg.DatabaseError && passing.includes(error.code ?? '');
        if (left === 0 || !isUsed) throw error;
        await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
          template,
        ]);
      }
  });
}

/** Connects, works, disconnects. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
