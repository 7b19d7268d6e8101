import { Fault, newId } from '@vantage/kernel';
import { accountNo } from './accounts.ts';
import type { Sql } from './database.ts';

/** A Location as the commands show it. */
export interface Location {
  readonly location_id: string;
  readonly account: string;
  readonly name: string;
  readonly agents: number;
  readonly online: boolean;
}

/** The Location at which devices are checked as long as an account says nothing else. */
const firstDefault = 'local';

/** Makes a Location: a name under which agents look. The devices that wait for the one named `local` are its from now on. */
export async function createLocation(
  sql: Sql,
  given: { readonly account: string; readonly name: string },
): Promise<{ readonly location_id: string; readonly name: string }> {
  const account = await accountNo(sql, given.account);
  const [made] = await sql.query<{ location_no: number; location_id: string; name: string }>(
    `insert into locations (location_id, account_no, name) values ($1, $2, $3)
     on conflict (account_no, name) do nothing returning location_no, location_id, name`,
    [newId(), account, given.name],
  );
  if (!made)
    throw new Fault(
      'drop',
      'location_exists',
      `account ${given.account} has a Location named ${given.name} already`,
    );
  if (made.name === firstDefault) await adoptDevices(sql, account, made.location_no);
  return { location_id: made.location_id, name: made.name };
}

/** Devices that name no Locations follow the account's choice, and that is this Location unless it says otherwise. */
async function adoptDevices(sql: Sql, account: number, location: number): Promise<void> {
  await sql.query(
    `with moved as (
       update devices d set revision = revision + 1, changed_us = now_us, updated_us = now_us
       from accounts a, (select (extract(epoch from now()) * 1e6)::bigint as now_us) clock
       where d.account_no = $1 and a.account_no = $1 and a.default_location_ids is null and not d.locations_given
       returning device_no
     ) insert into device_locations (device_no, location_no, rotation_index)
     select device_no, $2, 0 from moved on conflict do nothing`,
    [account, location],
  );
  await sql.query("select pg_notify('vantage_catalog', $1)", [JSON.stringify({ location_nos: [location] })]);
}

/** Whether devices that name no Locations are checked from somewhere. */
export async function hasDefaultLocation(sql: Sql, account: string): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from accounts a join locations l using (account_no)
     where account_no = $1 and case when a.default_location_ids is null then l.name = $2
                                    else l.location_id = any(a.default_location_ids) end`,
    [await accountNo(sql, account), firstDefault],
  );
  return rows.length > 0;
}

/** Locations of one account, or of all. */
export async function listLocations(sql: Sql, account: string | undefined): Promise<Location[]> {
  return sql.query<Location>(
    `select location_id, accounts.name as account, locations.name, online,
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
