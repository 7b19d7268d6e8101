import { type FieldFault, isPrivateHost } from '@vantage/kernel';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { LocationRow } from './device-store.ts';

/** Are these the same Locations in the same order? */
export function sameLocations(a: readonly LocationRow[], b: readonly LocationRow[]): boolean {
  return a.length === b.length && a.every((row, at) => row.location_no === b[at]?.location_no);
}

const locationColumns = ['location_no', 'location_id', 'name', 'public_targets_only'] as const;

/** The account's Locations with these ids or names. None of them is deleted until the transaction ends. */
export async function findLocations(
  db: Kysely<Tables>,
  accountNo: number,
  texts: readonly string[],
): Promise<readonly LocationRow[]> {
  if (texts.length === 0) return [];
  return db
    .selectFrom('locations')
    .select(locationColumns)
    .where('account_no', '=', accountNo)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('location_id', 'in', texts), where('name', 'in', texts)]))
    .forKeyShare()
    .execute();
}

/** The Locations of devices that name none: the account's choice, at first the one named `local`. */
export async function defaultLocations(
  db: Kysely<Tables>,
  accountNo: number,
): Promise<readonly LocationRow[]> {
  const { rows } = await sql<LocationRow>`
    select l.location_no, l.location_id, l.name, l.public_targets_only
    from locations l join accounts a on a.account_no = l.account_no
    where l.account_no = ${accountNo} and l.deleted_at is null
      and case when a.default_location_ids is null then l.name = 'local' else l.location_id = any(a.default_location_ids) end
    order by array_position(a.default_location_ids, l.location_id)
    for key share of l`.execute(db);
  return rows;
}

/** A fault for each Location that checks public targets only, when the target is a private address. */
export function privateAddressErrors(host: string, locations: readonly LocationRow[]): readonly FieldFault[] {
  if (!isPrivateHost(host)) return [];
  return locations
    .filter((row) => row.public_targets_only)
    .map(({ name }) => ({
      field: 'URL',
      message: `is a private address, and the Location ${name} checks public targets only`,
    }));
}
