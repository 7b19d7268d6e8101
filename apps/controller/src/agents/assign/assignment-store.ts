import type { Tables } from '@vantage/storage';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { TimeScale } from '../../config/time-scale.ts';
import type { PlanDevice } from './assignment-plan.ts';
import { type CandidateAgent, recentUs } from './eligible.ts';
import type { PresentAssignment, TimedChange } from './hand-over.ts';

/** The facts that decide about the plan of a Location, beside its devices. */
export interface LocationState {
  readonly locationNo: number;
  readonly accountNo: number;
  readonly online: boolean;
  readonly candidates: readonly CandidateAgent[];
}

/** All Locations that have or had agents, with the states of their agents. */
export async function loadLocations(
  db: Kysely<Tables>,
  { nowUs, timeScale }: { readonly nowUs: number; readonly timeScale: TimeScale },
): Promise<LocationState[]> {
  const { rows } = await sql<{
    location_no: number;
    account_no: number;
    online: boolean;
    agent_no: number | null;
    capacity: number;
    state: string;
    connected_us: number | null;
    away_since_us: number | null;
    leaving: boolean;
    connects: number;
    isAssigned: boolean;
  }>`
    select l.location_no, l.account_no, l.online, a.agent_no, a.capacity, a.state, a.connected_us, a.away_since_us,
      a.leaving_since_us is not null as leaving,
      (select count(*)::int from connection_spans c
        where c.agent_no = a.agent_no and c.from_us > ${nowUs - timeScale(recentUs)}) as connects,
      exists (select 1 from assignment_spans s
        where s.agent_no = a.agent_no and s.location_no = a.location_no and s.to_us is null) as "isAssigned"
    from locations l left join agents a on a.location_no = l.location_no and a.state in ('Connected', 'Away')
    where l.deleted_at is null order by l.location_no, a.agent_no`.execute(db);
  return [...Map.groupBy(rows, (row) => row.location_no).values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const candidates = group.flatMap((row) =>
      row.agent_no === null
        ? []
        : {
            agentNo: row.agent_no,
            capacity: row.capacity,
            connected: row.state === 'Connected',
            isLeaving: row.leaving,
            connectedUs: row.connected_us ?? 0,
            awaySinceUs: row.away_since_us,
            recentConnects: row.connects,
            isAssigned: row.isAssigned,
          },
    );
    const { location_no: locationNo, account_no: accountNo, online } = first;
    return [{ locationNo, accountNo, online, candidates }];
  });
}

/** The devices of a Location that are not paused, each with all its Locations in the order of their rotation. */
export async function loadDevices(db: Kysely<Tables>, locationNo: number): Promise<PlanDevice[]> {
  const { rows } = await sql<PlanDevice>`
    select here.device_no as "deviceNo", d.changed_us as "changedUs",
      array_agg(every.location_no order by every.rotation_index, every.location_no) as "locationNos"
    from device_locations here join devices d on d.device_no = here.device_no
      join device_locations every on every.device_no = here.device_no
    where here.location_no = ${locationNo} and d.enabled
    group by here.device_no, d.changed_us order by here.device_no`.execute(db);
  return rows;
}

/** The present assignments of the Location, those of agents included that were moved to another one. */
export async function loadAssignments(db: Kysely<Tables>, locationNo: number): Promise<PresentAssignment[]> {
  const { rows } = await sql<PresentAssignment>`
    select from_us as "fromUs", device_no as "deviceNo", agent_no as "agentNo", rotation_index as "rotationIndex", rotation_size as "rotationSize", retries_locally as "retriesLocally",
      run_immediately as "runImmediately"
    from assignment_spans
    where to_us is null and location_no = ${locationNo}`.execute(db);
  return rows;
}

/**
 * Ends, begins and updates spans. A span that ends where it begins is deleted. Devices that were deleted meanwhile are
 * left out.
 */
export async function writeChange(
  trx: Transaction<Tables>,
  { locationNo, change }: { readonly locationNo: number; readonly change: TimedChange },
): Promise<void> {
  if (change.close.length > 0) {
    const ended = sql`unnest(
        ${change.close.map((one) => one.deviceNo)}::int[], ${change.close.map((one) => one.atUs)}::bigint[]
      ) as g (device_no, at_us)`;
    const isOpen = sql`s.device_no = g.device_no and s.location_no = ${locationNo} and s.to_us is null`;
    await sql`delete from assignment_spans s using ${ended} where ${isOpen} and s.from_us >= g.at_us`.execute(
      trx,
    );
    await sql`update assignment_spans s set to_us = g.at_us from ${ended} where ${isOpen}`.execute(trx);
  }
  if (change.update.length > 0) {
    await sql`
      update assignment_spans s set retries_locally = g.retries_locally
      from unnest(
        ${change.update.map((one) => one.deviceNo)}::int[], ${change.update.map((one) => one.retriesLocally)}::boolean[]
      ) as g (device_no, retries_locally)
      where s.device_no = g.device_no and s.location_no = ${locationNo} and s.to_us is null`.execute(trx);
  }
  if (change.open.length > 0) {
    const by = <K extends keyof TimedChange['open'][number]>(key: K) => change.open.map((one) => one[key]);
    await sql`
      insert into assignment_spans
        (device_no, agent_no, location_no, from_us, to_us, rotation_index, rotation_size, retries_locally, run_immediately,
          handed_over)
      select g.device_no, g.agent_no, ${locationNo}, g.from_us, null, g.rotation_index, g.rotation_size, g.retries_locally, g.run_immediately,
        g.handed_over
      from unnest(
        ${by('deviceNo')}::int[], ${by('agentNo')}::int[], ${by('rotationIndex')}::int[], ${by('rotationSize')}::int[],
        ${by('retriesLocally')}::boolean[], ${by('runImmediately')}::boolean[], ${by('atUs')}::bigint[], ${by('handedOver')}::boolean[]
      ) as g (device_no, agent_no, rotation_index, rotation_size, retries_locally, run_immediately, from_us, handed_over)
      join devices d on d.device_no = g.device_no`.execute(trx);
  }
}
