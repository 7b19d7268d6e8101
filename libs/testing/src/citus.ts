import { inDatabase, withClient } from './postgres-url.ts';

/** The workers of a coordinator, each by the coordinator's URL with the worker's host and port. */
export async function workersOf(coordinator: string): Promise<string[]> {
  const { rows } = await withClient(coordinator, (client) =>
    client.query<{ place: string }>(
      `select nodename || ':' || nodeport as place from pg_dist_node where noderole = 'primary' and groupid <> 0 order by 1`,
    ),
  );
  return rows.map(({ place }) =>
    coordinator.replace(/^(postgres(?:ql)?:\/\/(?:[^@/]*@)?)[^/]*/, `$1${place}`),
  );
}

/**
 * Creates a database on all servers of a cluster, and makes the workers known there. Without workers the coordinator
 * itself takes the shards.
 */
export async function createClusterDatabase(
  coordinator: string,
  workers: readonly string[],
  name: string,
): Promise<void> {
  for (const server of [coordinator, ...workers]) {
    await withClient(server, (client) => client.query(`create database ${name}`));
    await withClient(inDatabase(server, name), (client) => client.query('create extension citus'));
  }
  await withClient(inDatabase(coordinator, name), async (client) => {
    const place = new URL(coordinator);
    await client.query('select citus_set_coordinator_host($1, $2::int)', [place.hostname, place.port]);
    for (const worker of workers) {
      const { hostname, port } = new URL(worker);
      await client.query('select citus_add_node($1, $2::int)', [hostname, port]);
    }
    if (workers.length === 0)
      await client.query(`select citus_set_node_property($1, $2::int, 'shouldhaveshards', true)`, [
        place.hostname,
        place.port,
      ]);
  });
}
