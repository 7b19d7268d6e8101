import { sql } from 'kysely';
import type { Db } from '../../db/index.ts';

/** A Location with what its agents and devices make of it. */
export interface LocationFacts {
  readonly location_no: number;
  readonly location_id: string;
  readonly name: string;
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
  page: { readonly limit: number; readonly offset: number; readonly locationId?: string },
): Promise<{ readonly rows: readonly LocationFacts[]; readonly total: number }> {
  const own = sql`l.account_no = ${accountNo}
    ${page.locationId === undefined ? sql`` : sql`and l.location_id = ${page.locationId}`}`;
  const [found, count] = await Promise.all([
    sql<LocationFacts>`
      select l.location_no, l.location_id, l.name, l.anchors, n.nschedule_id, l.public_targets_only, l.online, l.offline_reason,
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
