import type { EventCause } from '@vantage/health';
import { type Kysely, sql } from 'kysely';
import type { Tables } from '../db/index.ts';
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

/*
 * Events of a cut. One change makes one event. A device has an event only where its Location's event does not cover it:
 *
 *   what happens                                              | event
 *   no agent of a Location is connected, for a minute         | LocationOffline, once; none for its devices
 *   an agent of it is connected again                         | LocationOnline, once; none for its devices
 *   a device is as it was before the cut                      | none
 *   a device failed in the cut, and perhaps recovered         | Error, Down, Up: late, as the agent saw it (fold-batch.ts)
 *   a device had only inconclusive results in the cut (9, 10) | none, until a connected agent says so too: Unknown
 *   a device is another than before the cut                   | Down or Up, by the first check that says so
 */

/**
 * A Location with a connected agent that runs its checks becomes online at once. Its devices have the status that results
 * gave them. `locationNo` undefined: all Locations.
 */
export function updateVisibility(
  { kysely, recordEvents }: EventDeps,
  nowUs: number,
  locationNo?: number,
): Promise<VisibilityChange[]> {
  return inTransaction(kysely, async (trx) => {
    const changes = await setOnline(trx, nowUs, locationNo);
    const causes = changes.flatMap(({ offlineSinceUs, ...location }): EventCause[] =>
      offlineSinceUs === null ? [] : [{ kind: 'location-online', ...location, offlineSinceUs }],
    );
    await recordEvents(trx, causes, nowUs);
    return changes;
  });
}

async function setOnline(
  trx: Kysely<Tables>,
  nowUs: number,
  locationNo: number | undefined,
): Promise<(VisibilityChange & { readonly offlineSinceUs: number | null })[]> {
  const which = locationNo === undefined ? sql`true` : sql`l.location_no = ${locationNo}`;
  const { rows } = await sql<VisibilityChange & { offlineSinceUs: number | null }>`
    with back as (
      update locations l
      set online = true, online_since_us = ${nowUs}::bigint, offline_reason = null, offline_since_us = null
      from locations was
      where was.location_no = l.location_no and not l.online and ${which}
        and exists (select 1 from agents a where a.location_no = l.location_no and ${isHealthy})
      returning l.location_no, l.account_no, l.name, was.offline_since_us
    ), found as (
      select distinct on (dl.device_no) b.location_no, dl.device_no
      from back b
      join device_locations dl on dl.location_no = b.location_no
      join device_state s on s.device_no = dl.device_no and s.status <> 'Unknown'
      where b.offline_since_us is not null and not ${onlineFrom(sql`l.online`)}
      order by dl.device_no, b.location_no
    )
    select b.location_no as "locationNo", b.account_no as "accountNo", b.name as "locationName",
      b.offline_since_us as "offlineSinceUs", count(f.device_no)::int as devices
    from back b left join found f on f.location_no = b.location_no
    group by b.location_no, b.account_no, b.name, b.offline_since_us`.execute(trx);
  return rows;
}

/**
 * A Location becomes offline when all its agents have been away for a minute, or when its connected agents report that they
 * cannot run their checks. It is offline since the end of its coverage. One event for the account, none for the devices.
 */
export function markOffline(
  { kysely, recordEvents }: EventDeps,
  nowUs: number,
  times: Times = trueTimes,
  locationNo?: number,
): Promise<VisibilityChange[]> {
  return inTransaction(kysely, async (trx) => {
    const changes = await setOffline(trx, nowUs, times, locationNo);
    const causes = changes.map((change) => ({ kind: 'location-offline', ...change }) as const);
    await recordEvents(trx, causes, nowUs);
    return changes;
  });
}

async function setOffline(
  trx: Kysely<Tables>,
  nowUs: number,
  { offlineAfterUs, servedForUs }: Times,
  locationNo: number | undefined,
): Promise<OfflineChange[]> {
  const which = locationNo === undefined ? sql`true` : sql`l.location_no = ${locationNo}`;
  const { rows } = await sql<OfflineChange>`
    with candidates as (
      select l.location_no, max(a.offline_reason) filter (where a.state = 'Connected') as reason,
        least(${nowUs}::bigint, coalesce(
          (select max(c.to_us) from coverage c join agents o on o.agent_no = c.agent_no
           where o.location_no = l.location_no),
          max(a.last_seen_us), ${nowUs}::bigint)) as since_us
      from locations l
      left join agents a on a.location_no = l.location_no and a.state <> 'Revoked'
      where l.online and ${which}
        and exists (select 1 from controllers c where c.started_us <= ${nowUs - servedForUs}::bigint
          and c.last_seen_us > ${nowUs - controllerSilenceUs}::bigint)
      group by l.location_no
      having coalesce(bool_and(a.state <> 'Connected' or a.offline_reason is not null), true)
        and (coalesce(max(a.last_seen_us), 0) < ${nowUs - offlineAfterUs}::bigint
          or bool_or(a.state = 'Connected' and a.offline_reason is not null))
    ), gone as (
      update locations l
      set online = false, online_since_us = null, offline_since_us = c.since_us, offline_reason = c.reason
      from candidates c where c.location_no = l.location_no and l.online
      returning l.location_no, l.account_no, l.name, c.since_us, c.reason
    ), lost as (
      select distinct on (dl.device_no) b.location_no, dl.device_no
      from gone b
      join device_locations dl on dl.location_no = b.location_no
      join device_state s on s.device_no = dl.device_no and s.status <> 'Unknown'
      where not ${onlineFrom(sql`l.online and l.location_no not in (select location_no from gone)`)}
      order by dl.device_no, b.since_us desc
    )
    select b.location_no as "locationNo", b.account_no as "accountNo", b.name as "locationName",
      b.since_us as "sinceUs", b.reason, count(k.device_no)::int as devices
    from gone b left join lost k on k.location_no = b.location_no
    group by b.location_no, b.account_no, b.name, b.since_us, b.reason`.execute(trx);
  return rows;
}

/** Whether the device of `dl` is assigned to a Location that fulfils the condition on `l`. */
function onlineFrom(condition: ReturnType<typeof sql>) {
  return sql`exists (
    select 1 from device_locations o join locations l on l.location_no = o.location_no
    where o.device_no = dl.device_no and ${condition})`;
}
