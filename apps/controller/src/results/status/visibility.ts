import type { EventCause } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { EventDeps } from './event-causes.ts';
import { inTransaction } from './in-transaction.ts';
import { type Times, trueTimes } from './times.ts';

/** A controller that was not seen for this long does not serve. */
const controllerSilenceUs = 30_000_000;

/** An agent that is connected and runs its checks; `a` is its row. */
const isHealthy = sql`a.state = 'Connected' and a.offline_reason is null`;

/** A Location that became online or offline. */
export interface VisibilityChange {
  readonly accountNo: number;
  readonly locationNo: number;
  readonly locationName: string;
  /** Number of devices that changed with it. */
  readonly devices: number;
}

interface OfflineChange extends VisibilityChange {
  readonly sinceUs: number;
  readonly reason: string | null;
}

/** A Location whose stored row changed. */
type ChangedLocation = Omit<VisibilityChange, 'devices'>;

/** Stores whether Locations are online, in the transaction that records the event. */
export interface LocationVisibility {
  /** Returns those of these Locations that were offline, and since when (null: since they exist). */
  setOnline(
    trx: Kysely<Tables>,
    locationNos: readonly number[],
    nowUs: number,
  ): Promise<readonly (ChangedLocation & { readonly offlineSinceUs: number | null })[]>;
  /** Returns those of these Locations that were online. */
  setOffline(
    trx: Kysely<Tables>,
    locations: readonly Omit<OfflineChange, 'accountNo' | 'locationName' | 'devices'>[],
  ): Promise<readonly ChangedLocation[]>;
}

/** The parts that a change of visibility needs. */
export interface VisibilityDeps extends EventDeps {
  readonly locations: LocationVisibility;
}

/*
 * Events of a cut. One change makes one event. A device has an event only where its Location's event does not cover it:
 *
 *   what happens                                              | event
 *   no agent of a Location is connected, for a minute         | LocationOffline, once; none for its devices
 *   an agent of it is connected again                         | LocationOnline, once; none for its devices
 *   a device is as it was before the cut                      | none
 *   a device failed in the cut, and perhaps recovered         | Error, Down, Up: late, as the agent saw it (fold-batch.ts)
 *   an anchor of a Location is silent                         | AnchorDown, once; none for the devices behind it (anchor-review.ts)
 *   a device had only inconclusive results in the cut (9, 10) | none, until a connected agent says so too: Unknown
 *   a device is another than before the cut                   | Down or Up, by the first check that says so
 */

/**
 * A Location with a connected agent that runs its checks becomes online at once. Its devices have the status that
 * results gave them. `locationNo` undefined: all Locations.
 */
export function updateVisibility(
  { kysely, recordEvents, locations }: VisibilityDeps,
  nowUs: number,
  locationNo?: number,
): Promise<VisibilityChange[]> {
  return inTransaction(kysely, async (trx) => {
    const candidates = await backLocations(trx, locationNo);
    if (candidates.length === 0) return [];
    const back = await locations.setOnline(trx, candidates, nowUs);
    // Locations that were cut off come first, because only their events count devices.
    const isNew = (one: (typeof back)[number]) => Number(one.offlineSinceUs === null);
    const ranked = back.toSorted((a, b) => isNew(a) - isNew(b) || a.locationNo - b.locationNo);
    const devices = await devicesOnlyAt(trx, ranked.map(numberOf));
    const changes = back.map(({ offlineSinceUs, ...location }) => ({
      change: { ...location, devices: offlineSinceUs === null ? 0 : (devices.get(location.locationNo) ?? 0) },
      offlineSinceUs,
    }));
    const causes = changes.flatMap(({ change, offlineSinceUs }): EventCause[] =>
      offlineSinceUs === null ? [] : [{ kind: 'location-online', ...change, offlineSinceUs }],
    );
    await recordEvents(trx, causes, nowUs);
    return changes.map(({ change }) => change);
  });
}

function numberOf({ locationNo }: { readonly locationNo: number }): number {
  return locationNo;
}

/** Offline Locations with a connected agent that runs its checks. */
async function backLocations(trx: Kysely<Tables>, locationNo: number | undefined): Promise<number[]> {
  const which = locationNo === undefined ? sql`true` : sql`l.location_no = ${locationNo}`;
  const { rows } = await sql<{ location_no: number }>`
    select l.location_no from locations l
    where not l.online and ${which}
      and exists (select 1 from agents a where a.location_no = l.location_no and ${isHealthy})`.execute(trx);
  return rows.map(({ location_no }) => location_no);
}

/**
 * The number of devices with a status that only these Locations check: no other Location of such a device is online. A
 * device of several of these Locations counts for the first one.
 */
async function devicesOnlyAt(
  trx: Kysely<Tables>,
  nos: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (nos.length === 0) return new Map();
  const { rows } = await sql<{ locationNo: number; devices: number }>`
    select f.location_no as "locationNo", count(*)::int as devices from (
      select distinct on (dl.device_no) b.location_no, dl.device_no
      from unnest(${nos}::int[]) with ordinality as b (location_no, rank)
      join device_locations dl on dl.location_no = b.location_no
      join device_state s on s.device_no = dl.device_no and s.status <> 'Unknown'
      where not exists (
        select 1 from device_locations o join locations l on l.location_no = o.location_no
        where o.device_no = dl.device_no and l.online and l.location_no <> all(${nos}::int[]))
      order by dl.device_no, b.rank) f
    group by f.location_no`.execute(trx);
  return new Map(rows.map((row) => [row.locationNo, row.devices]));
}

/**
 * A Location becomes offline when all its agents have been away for a minute, or when its connected agents report that
 * they cannot run their checks. It is offline since the end of its coverage. One event for the account, none for the
 * devices.
 */
export function setOffline(
  { kysely, recordEvents, locations }: VisibilityDeps,
  nowUs: number,
  times: Times = trueTimes,
  locationNo?: number,
): Promise<VisibilityChange[]> {
  return inTransaction(kysely, async (trx) => {
    const candidates = await goneLocations(trx, nowUs, times, locationNo);
    if (candidates.length === 0) return [];
    const stored = await locations.setOffline(trx, candidates);
    const gone = candidates.flatMap((candidate) => {
      const location = stored.find((one) => one.locationNo === candidate.locationNo);
      return location === undefined ? [] : [{ ...candidate, ...location }];
    });
    const devices = await devicesOnlyAt(trx, gone.map(numberOf));
    const changes = gone.map((one) => ({ ...one, devices: devices.get(one.locationNo) ?? 0 }));
    const causes = changes.map((change) => ({ kind: 'location-offline', ...change }) as const);
    await recordEvents(trx, causes, nowUs);
    return changes;
  });
}

/** When an agent was last moved away from the Location `l`. */
const lastLeftUs = sql`(select max(f.to_us) from former_locations f where f.location_no = l.location_no)`;

/** The agents that the Location `l` has or had, each with its time there. */
const hadAgents = sql`
  select o.agent_no, coalesce((select max(f.to_us) from former_locations f where f.agent_no = o.agent_no), 0) as from_us,
    ${Number.MAX_SAFE_INTEGER}::bigint as to_us
  from agents o where o.location_no = l.location_no
  union all select agent_no, from_us, to_us from former_locations where location_no = l.location_no`;

/**
 * Online Locations whose agents are all away, revoked, moved away or cannot run their checks, those that were heard
 * last first.
 */
async function goneLocations(
  trx: Kysely<Tables>,
  nowUs: number,
  { offlineAfterUs, servedForUs }: Times,
  locationNo: number | undefined,
): Promise<
  readonly { readonly locationNo: number; readonly sinceUs: number; readonly reason: string | null }[]
> {
  const which = locationNo === undefined ? sql`true` : sql`l.location_no = ${locationNo}`;
  const { rows } = await sql<{ locationNo: number; sinceUs: number; reason: string | null }>`
    select l.location_no as "locationNo", max(a.offline_reason) filter (where a.state = 'Connected') as reason,
      least(${nowUs}::bigint, coalesce(
        (select max(least(c.to_us, had.to_us)) from (${hadAgents}) had
          join coverage c on c.agent_no = had.agent_no and c.from_us < had.to_us and c.to_us > had.from_us),
        greatest(max(a.last_seen_us), ${lastLeftUs}), ${nowUs}::bigint)) as "sinceUs"
    from locations l
    left join agents a on a.location_no = l.location_no
    where l.online and ${which}
      and exists (select 1 from controllers c where c.started_us <= ${nowUs - servedForUs}::bigint
        and c.last_seen_us > ${nowUs - controllerSilenceUs}::bigint)
    group by l.location_no
    having coalesce(bool_and(a.state <> 'Connected' or a.offline_reason is not null), true)
      and (greatest(max(a.last_seen_us), ${lastLeftUs}, 0) < ${nowUs - offlineAfterUs}::bigint
        or bool_or(a.state = 'Connected' and a.offline_reason is not null))
    order by "sinceUs" desc, l.location_no`.execute(trx);
  return rows;
}
