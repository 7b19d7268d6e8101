import { Fault, newId } from '@vantage/kernel';
import { accountNo } from './accounts.ts';
import type { Sql } from './database.ts';

/** A Location as the commands show it. */
export interface Location {
  readonly location_id: string;
  readonly account: string;
  readonly name: string;
  readonly agents: number;
  readonly observing: boolean;
}

/** Makes a Location: a name under which agents look. */
export async function createLocation(
  sql: Sql,
  given: { readonly account: string; readonly name: string },
): Promise<{ readonly location_id: string; readonly name: string }> {
  const [made] = await sql.query<{ location_id: string; name: string }>(
    `insert into locations (location_id, account_no, name) values ($1, $2, $3)
     on conflict (account_no, name) do nothing returning location_id, name`,
    [newId(), await accountNo(sql, given.account), given.name],
  );
  if (!made)
    throw new Fault(
      'drop',
      'location_exists',
      `account ${given.account} has a Location named ${given.name} already`,
    );
  return made;
}

/** Locations of one account, or of all. */
export async function listLocations(sql: Sql, account: string | undefined): Promise<Location[]> {
  return sql.query<Location>(
    `select location_id, accounts.name as account, locations.name, observing,
            (select count(*)::int from agents where agents.location_no = locations.location_no and state <> 'Revoked') as agents
     from locations join accounts using (account_no)
     where $1::int is null or account_no = $1 order by accounts.name, locations.name`,
    [account === undefined ? null : await accountNo(sql, account)],
  );
}

/** The number of an account's Location by name or id. */
export async function locationNo(sql: Sql, account: string, nameOrId: string): Promise<number> {
  const [row] = await sql.query<{ location_no: number }>(
    'select location_no from locations where account_no = $1 and (name = $2 or location_id = $2)',
    [await accountNo(sql, account), nameOrId],
  );
  if (!row)
    throw new Fault(
      'drop',
      'no_location',
      `account ${account} has no Location ${nameOrId}; make it with "vantage locations create"`,
    );
  return row.location_no;
}
