import { raw } from '@mikro-orm/core';
import type { StoredAnchor } from '@vantage/domain';
import type { Reader, Tables } from '@vantage/storage';
import { Location } from '@vantage/storage/entities';
import { locationLoad } from '@vantage/storage/location-load';
import { type Kysely, sql } from 'kysely';
import type { ChangeTransaction } from '../../resources/change.ts';
import type { SourceIdentity } from '../../resources/external-key.ts';

/** A Location with what its agents and devices make of it. */
export interface LocationFacts {
  readonly location_no: number;
  readonly location_id: string;
  readonly name: string;
  readonly external_key: string | null;
  readonly source: string | null;
  readonly anchors: unknown;
  /** The report of each connected agent about the anchors. */
  readonly anchor_states: unknown;
  readonly nschedule_id: string | null;
  readonly public_targets_only: boolean;
  readonly online: boolean;
  readonly offline_reason: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly agents: number;
  readonly connected: number;
  /** Checks a minute that its connected agents can run. */
  readonly capacity: number;
  readonly devices: number;
  /** Regular checks a minute that its devices need. */
  readonly per_minute: number;
}

/** A page of the account's Locations by name; `locationId` narrows it to one. */
export async function listLocations(
  { kysely }: Reader,
  accountNo: number,
  page: {
    readonly limit: number;
    readonly offset: number;
    readonly locationId?: string;
    readonly externalKey?: string | undefined;
    readonly source?: string | undefined;
  },
): Promise<{ readonly rows: readonly LocationFacts[]; readonly total: number }> {
  const own = sql`l.account_no = ${accountNo} and l.deleted_at is null
    ${page.locationId === undefined ? sql`` : sql`and l.location_id = ${page.locationId}`}
    ${page.externalKey === undefined ? sql`` : sql`and l.external_key = ${page.externalKey}`}
    ${page.source === undefined ? sql`` : sql`and l.source = ${page.source}`}`;
  const [found, count] = await Promise.all([
    sql<LocationFacts>`
      select l.location_no, l.location_id, l.name, l.external_key, l.source, l.anchors, n.nschedule_id, l.public_targets_only, l.online, l.offline_reason, l.created_at, l.updated_at,
        a.agents, a.connected, a.capacity, a.anchor_states, d.devices, d.per_minute
      from (select * from locations l where ${own} order by l.name limit ${page.limit} offset ${page.offset}) l
      left join nschedules n on n.nschedule_no = l.nschedule_no
      cross join lateral (
        select count(*)::int as agents, count(*) filter (where state = 'Connected')::int as connected,
          coalesce(sum(capacity) filter (where state = 'Connected'), 0)::float8 as capacity,
          coalesce(jsonb_agg(anchor_states) filter (where state = 'Connected'), '[]') as anchor_states
        from agents where location_no = l.location_no and state <> 'Revoked') a
      cross join lateral (${locationLoad}) d
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
    where l.deleted_at is null and (${accountNo ?? null}::int is null or account_no = ${accountNo ?? null}::int)
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
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('name', '=', nameOrId), where('location_id', '=', nameOrId)]))
    .executeTakeFirst();
  return row?.location_no;
}

/** Columns that the owner of a Location sets. */
type LocationSettings = Pick<Location, 'name' | 'publicTargetsOnly'> &
  SourceIdentity & {
    readonly nscheduleNo: number | null;
    readonly anchors: readonly StoredAnchor[];
  };

/**
 * Inserts a Location; returns its number, or undefined when the account has one of this name. The caller has
 * locked the account, so the name stays free.
 */
export async function insertLocation(
  { em }: ChangeTransaction,
  given: Pick<Location, 'locationId' | 'accountNo'> & LocationSettings,
): Promise<number> {
  const location = em.create(Location, given);
  await em.flush();
  return location.locationNo;
}

/** The account's Location with this id, for a change. The caller holds the account's lock. */
export async function findLocation(
  { em }: ChangeTransaction,
  accountNo: number,
  locationId: string,
): Promise<Location | undefined> {
  return (await em.findOne(Location, { accountNo, locationId, deletedAt: null })) ?? undefined;
}

/** Writes the settings of a Location. */
export async function updateLocation(
  { em }: ChangeTransaction,
  location: Location,
  settings: LocationSettings,
): Promise<void> {
  em.assign(location, settings);
  await em.flush();
}

/** The connected agents of a Location. */
export async function connectedAgents(
  { trx }: ChangeTransaction,
  { locationNo }: Location,
): Promise<readonly number[]> {
  const rows = await trx
    .selectFrom('agents')
    .select('agent_no')
    .where('location_no', '=', locationNo)
    .where('state', '=', 'Connected')
    .execute();
  return rows.map((row) => row.agent_no);
}

/** Marks a Location as deleted. It is offline from now on, and its name and key are free. */
export async function setLocationDeleted({ em }: ChangeTransaction, location: Location): Promise<void> {
  em.assign(location, {
    deletedAt: raw('now()'),
    externalKey: null,
    source: null,
    nscheduleNo: null,
    online: false,
    onlineSinceUs: null,
  });
  await em.flush();
}

/** The users of a Location: texts for people, up to ten of each kind, and the number of all. */
export interface LocationUsers {
  readonly devices: readonly string[];
  readonly agents: readonly string[];
  readonly count: number;
}

/** The devices and agents of a Location. None can be added until the transaction ends. */
export async function usersOfLocation(
  { trx }: ChangeTransaction,
  { locationNo }: Location,
): Promise<LocationUsers> {
  await sql`select 1 from locations where location_no = ${locationNo} for update`.execute(trx);
  const { rows } = await sql<LocationUsers>`
    select
      array(select d.short_name || ' (' || d.device_id || ')' from device_locations join devices d using (device_no)
        where location_no = ${locationNo} order by device_no limit 10) as devices,
      array(select name || ' (' || agent_id || ')' from agents
        where location_no = ${locationNo} and removed_at is null order by agent_no limit 10) as agents,
      (select count(*)::int from device_locations where location_no = ${locationNo})
        + (select count(*)::int from agents where location_no = ${locationNo} and removed_at is null) as count`.execute(
    trx,
  );
  return rows[0] ?? { devices: [], agents: [], count: 0 };
}

/** The next 500 devices of a Location by number, after `afterNo`. */
export async function devicesOfLocation(
  { trx }: ChangeTransaction,
  { locationNo }: Location,
  afterNo: number,
) {
  return trx
    .selectFrom('device_locations as l')
    .innerJoin('devices as d', 'd.device_no', 'l.device_no')
    .select(['d.device_no', 'd.device_id', 'd.short_name', 'd.method', 'd.url'])
    .where('l.location_no', '=', locationNo)
    .where('d.device_no', '>', afterNo)
    .orderBy('d.device_no')
    .limit(500)
    .execute();
}
