import { Fault, type Logger, messageOf } from '@vantage/kernel';
import pg from 'pg';

/** The ordinary role of the controller and of the operator's commands. It owns the database and everything in it. */
export const ownerRole = 'vantage';
/** The role that initdb makes. Only `ensureOwner` uses it. */
export const superuserRole = 'vantage_superuser';
/** Exists while the superuser of an older data folder is renamed, because no session can rename its own role. */
const renamerRole = 'vantage_renamer';

/** Connection URL of a role; `folder` holds the unix socket. */
export function urlOf(role: string, folder: string): string {
  return `postgresql://${role}@/postgres?host=${encodeURIComponent(folder)}`;
}

/**
 * Turns `vantage` into an ordinary role that owns the database. In data folders of earlier versions `vantage` is the
 * superuser. This function renames that superuser and gives everything to a new ordinary role `vantage`. The next start
 * completes a change that was interrupted.
 */
export async function ensureOwner(folder: string, log: Logger): Promise<void> {
  try {
    if (!(await canConnect(urlOf(superuserRole, folder)))) {
      log.info('the database role of the controller loses its superuser rights');
      await withClient(urlOf(ownerRole, folder), (client) =>
        client.query(
          `do $$ begin if to_regrole('${renamerRole}') is null then create role ${renamerRole} superuser login; end if; end $$`,
        ),
      );
      await withClient(urlOf(renamerRole, folder), (client) =>
        client.query(`alter role ${ownerRole} rename to ${superuserRole}`),
      );
    }
    await withClient(urlOf(superuserRole, folder), (client) => client.query(handOver));
  } catch (cause) {
    const why = `the role of the embedded database cannot be set up: ${messageOf(cause)}`;
    throw new Fault('retry', 'database_role', why, { cause });
  }
}

/** One statement, so that it is one transaction. Sequences of columns go with their tables. */
const handOver = `do $$
declare
  statement text;
begin
  drop role if exists ${renamerRole};
  if to_regrole('${ownerRole}') is null then
    create role ${ownerRole} login;
  end if;
  if (select datdba from pg_database where datname = current_database()) = to_regrole('${ownerRole}') then
    return;
  end if;
  execute format('alter database %I owner to ${ownerRole}', current_database());
  alter schema public owner to ${ownerRole};
  for statement in
    select format('alter table %s owner to ${ownerRole}', c.oid::regclass) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
    union all
    select format('alter sequence %s owner to ${ownerRole}', c.oid::regclass) from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'S'
        and not exists (select 1 from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass
          and d.deptype in ('a', 'i') and d.refobjsubid > 0)
    union all
    select format('alter routine %s owner to ${ownerRole}', p.oid::regprocedure) from pg_proc p
      where p.pronamespace = 'public'::regnamespace
    union all
    select format('alter type %s owner to ${ownerRole}', t.oid::regtype) from pg_type t
      where t.typnamespace = 'public'::regnamespace and t.typtype in ('e', 'd')
  loop
    execute statement;
  end loop;
end $$`;

/** Whether a role exists and may log in; any other failure is thrown. */
async function canConnect(url: string): Promise<boolean> {
  try {
    await withClient(url, async () => undefined);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '28000') return false; // invalid_authorization_specification
    throw error;
  }
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
