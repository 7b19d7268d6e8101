import type { Tables } from '@vantage/storage';
import { locationLoad } from '@vantage/storage/location-load';
import { type Kysely, sql } from 'kysely';

/** Names of the Locations that would be overloaded with `addPerMinute` more checks each. Pure. */
export function overloadedNames(
  loads: readonly LocationLoad[],
  addPerMinute: (locationNo: number) => number,
): readonly string[] {
  return loads
    .filter(({ location_no, asked, possible }) => asked + addPerMinute(location_no) > possible)
    .map(({ name }) => name);
}

/** Checks a minute that the devices of a Location need, and that its connected agents can run. */
interface LocationLoad {
  readonly location_no: number;
  readonly name: string;
  readonly asked: number;
  readonly possible: number;
}

/** The load of these Locations; those without a connected agent are left out. */
export async function loadsOf(
  db: Kysely<Tables>,
  locationNos: readonly number[],
): Promise<readonly LocationLoad[]> {
  if (locationNos.length === 0) return [];
  // A parameter for each number: PostgreSQL keeps the plan then. For an array it plans this query again each time,
  // which costs more than the query.
  const { rows } = await sql<LocationLoad>`
    select l.location_no, l.name, asked.per_minute as asked, have.per_minute::float8 as possible from locations l
    cross join lateral (
      select coalesce(sum(capacity), 0) as per_minute, count(*) as agents from agents a
      where a.location_no = l.location_no and a.state = 'Connected') have
    cross join lateral (${locationLoad}) asked
    where l.location_no in (${sql.join(locationNos)}) and have.agents > 0
    order by l.location_no`.execute(db);
  return rows;
}

/** Checks a minute of a device at each of its Locations. Pure. */
export function perMinuteAtEach(
  { frequency_min, frequency_s }: { readonly frequency_min: number; readonly frequency_s: number | null },
  locations: number,
): number {
  return 60 / (frequency_s ?? frequency_min * 60) / Math.max(1, locations);
}
