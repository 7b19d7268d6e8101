import { Fault, messageOf } from '@vantage/kernel';
import { olderThanBaseline } from '@vantage/storage/baseline';
import { clientConfig } from '@vantage/storage/client-config';
import pg from 'pg';

/** The ordinary role of the controller and the operator's commands. It owns the database and everything in it. */
export const ownerRole = 'vantage';
/** The role that initdb creates. Only `ensureOwner` uses it. */
export const superuserRole = 'vantage_superuser';

/** The connection URL of a role; `folder` contains the unix socket. */
export function urlOf(role: string, folder: string): string {
  return `postgresql://${role}@/postgres?host=${encodeURIComponent(folder)}`;
}

/** Creates the ordinary role that owns the database, unless it exists. */
export async function ensureOwner(folder: string): Promise<void> {
  try {
    await withClient(urlOf(superuserRole, folder), (client) => client.query(handOver));
  } catch (cause) {
    // Before version 0.2.0 the superuser had another name: "invalid_authorization_specification".
    if (cause instanceof pg.DatabaseError && cause.code === '28000') throw olderThanBaseline();
    const why = `the role of the embedded database cannot be set up: ${messageOf(cause)}`;
    throw new Fault('retry', 'database_role', why, { cause });
  }
}

/** One statement, so that it is one transaction. */
const handOver = `do $$ begin
  if to_regrole('${ownerRole}') is null then
    create role ${ownerRole} login;
    execute format('alter database %I owner to ${ownerRole}', current_database());
    alter schema public owner to ${ownerRole};
  end if;
end $$`;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(clientConfig(url, 'vantage owner'));
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
