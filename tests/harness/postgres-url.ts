import pg from 'pg';

/** The same server, another database. (A socket's URL has no host, so WHATWG's URL cannot read it.) */
export function inDatabase(url: string, name: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, (_, server: string) => `${server}/${name}`);
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
