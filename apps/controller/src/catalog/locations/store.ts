import { type Kysely, sql } from 'kysely';
import { Location } from '../../db/entities.ts';
import type { Db, Tables } from '../../db/index.ts';
import type { ChangeTransaction } from '../change.ts';

/** A Location with what its agents and devices make of it. */
export interface LocationFacts {
  readonly location_no: number;
  readonly location_id: string;
  readonly name: string;
  readonly external_key: string | null;
  readonly anchors: unknown;
  readonly nschedule_id: string | null;
  readonly public_targets_only: boolean;
  readonly online: boolean;
  readonly offline_reason: string | null;
  readonly agents: number;
  readonly connected: number;
  /** Checks a minute that its connected agents can run. */
  readonly capacity: number;
  readonly devices: number;
  /** Checks a minute that its devices ask for in regular checks. */
  readonly per_minute: number;
}

/** A page of the account's Locations by name; `locationId` narrows it to one. */
export async function listLocations(
  { kysely }: Db,
  accountNo: number,
  page: {
    readonly limit: number;
    readonly offset: number;
    readonly locationId?: string;
    readonly externalKey?: string | undefined;
  },
): Promise<{ readonly rows: readonly LocationFacts[]; readonly total: number }> {
  const own = sql`l.account_no = ${accountNo}
    ${page.locationId === undefined ? sql`` : sql`and l.location_id = ${page.locationId}`}
    ${page.externalKey === undefined ? sql`` : sql`and l.external_key = ${page.externalKey}`}`;
  const [found, count] = await Promise.all([
    sql<LocationFacts>`
      select l.location_no, l.location_id, l.name, l.external_key, l.anchors, n.nschedule_id, l.public_targets_only, l.online, l.offline_reason,
        a.agents, a.connected, a.capacity, d.devices, d.per_minute
      from (select * from locations l where ${own} order by l.name limit ${page.limit} offset ${page.offset}) l
      left join nschedules n on n.nschedule_no = l.nschedule_no
      cross join lateral (
        select count(*)::int as agents, count(*) filter (where state = 'Connected')::int as connected,
          coalesce(sum(capacity) filter (where state = 'Connected'), 0)::float8 as capacity
        from agents where location_no = l.location_no and state <> 'Revoked') a
      cross join lateral (
        select count(*)::int as devices, coalesce(sum(1.0 / frequency_min / turns), 0)::float8 as per_minute
        from device_locations dl join devices using (device_no)
          cross join lateral (select count(*) as turns from device_locations x where x.device_no = dl.device_no) t
        where dl.location_no = l.location_no) d
      order by l.name`.execute(kysely),
    sql<{ total: number }>`select count(*)::int as total from locations l where ${own}`.execute(kysely),
  ]);
  return { rows: found.rows, total: count.rows[0]?.total ?? 0 };
}

/** A Location with its account, for the operator. */
export interface AccountLocation {
  readonly location_id: string;
  readonly account: string;
  readonly name: string;
  readonly online: boolean;
  /** Number of agents that are not revoked. */
  readonly agents: number;
}

/** Locations of one account, or of all when `accountNo` is undefined; by account and name. */
export async function listAccountLocations(
  kysely: Kysely<Tables>,
  accountNo: number | undefined,
): Promise<readonly AccountLocation[]> {
  const { rows } = await sql<AccountLocation>`
    select l.location_id, o.name as account, l.name, l.online,
      (select count(*)::int from agents a where a.location_no = l.location_no and a.state <> 'Revoked') as agents
    from locations l join accounts o using (account_no)
    where ${accountNo ?? null}::int is null or account_no = ${accountNo ?? null}::int
    order by o.name, l.name`.execute(kysely);
  return rows;
}

/** The number of an account's Location by name or id. */
export async function findLocationNo(
  kysely: Kysely<Tables>,
  accountNo: number,
  nameOrId: string,
): Promise<number | undefined> {
  const row = await kysely
    .selectFrom('locations')
    .select('location_no')
    .where('account_no', '=', accountNo)
    .where((where) => where.or([where('name', '=', nameOrId), where('location_id', '=', nameOrId)]))
    .executeTakeFirst();
  return row?.location_no;
}

/**
 * Inserts a Location; returns its number, or undefined when the account has one of this name. The caller holds the account's lock, so
 * that nobody else takes the name meanwhile.
 */
export async function insertLocation(
  { em }: ChangeTransaction,
  given: Pick<Location, 'locationId' | 'accountNo' | 'name'>,
): Promise<number | undefined> {
  const { accountNo, name } = given;
  if ((await em.findOne(Location, { accountNo, name })) !== null) return undefined;
  const location = em.create(Location, given);
  await em.flush();
  return location.locationNo;
}
