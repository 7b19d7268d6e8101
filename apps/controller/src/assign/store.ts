import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { Pace } from '../pace.ts';
import { type Candidate, recentUs } from './eligible.ts';
import type { Change, Holding, PlanDevice } from './plan.ts';

/** What decides about the plan of a Location, beside its devices. */
export interface LocationState {
  readonly locationNo: number;
  readonly accountNo: number;
  readonly observing: boolean;
  readonly candidates: readonly Candidate[];
}

/** All Locations that have agents or had them, with what their agents do. */
export async function loadLocations(
  db: Kysely<Tables>,
  { nowUs, pace }: { readonly nowUs: number; readonly pace: Pace },
): Promise<LocationState[]> {
  const { rows } = await sql<{
    location_no: number;
    account_no: number;
    observing: boolean;
    agent_no: number | null;
    capacity: number;
    state: string;
    connected_us: number | null;
    away_since_us: number | null;
    connects: number;
    holds: boolean;
  }>`
    select l.location_no, l.account_no, l.observing, a.agent_no, a.capacity, a.state, a.connected_us, a.away_since_us,
      (select count(*)::int from connection_spans c
        where c.agent_no = a.agent_no and c.from_us > ${nowUs - pace(recentUs)}) as connects,
      exists (select 1 from assignment_spans s where s.agent_no = a.agent_no and s.to_us is null) as holds
    from locations l left join agents a on a.location_no = l.location_no and a.state in ('Connected', 'Away')
    order by l.location_no, a.agent_no`.execute(db);
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
            connectedUs: row.connected_us ?? 0,
            awaySinceUs: row.away_since_us,
            recentConnects: row.connects,
            holds: row.holds,
          },
    );
    const { location_no: locationNo, account_no: accountNo, observing } = first;
    return [{ locationNo, accountNo, observing, candidates }];
  });
}

/** The devices of a Location, each with all its Locations in the order of their turns. */
export async function loadDevices(db: Kysely<Tables>, locationNo: number): Promise<PlanDevice[]> {
  const { rows } = await sql<PlanDevice>`
    select here.device_no as "deviceNo", d.changed_us as "changedUs",
      array_agg(every.location_no order by every.turn, every.location_no) as "locationNos"
    from device_locations here join devices d on d.device_no = here.device_no
      join device_locations every on every.device_no = here.device_no
    where here.location_no = ${locationNo}
    group by here.device_no, d.changed_us order by here.device_no`.execute(db);
  return rows;
}

/** Who holds what at the Location now. */
export async function loadHoldings(db: Kysely<Tables>, locationNo: number): Promise<Holding[]> {
  const { rows } = await sql<Holding>`
    select device_no as "deviceNo", agent_no as "agentNo", turn, turns, runs_chain as "runsChain",
      first_look as "firstLook"
    from assignment_spans
    where to_us is null and agent_no in (select agent_no from agents where location_no = ${locationNo})
      and location_no = ${locationNo}`.execute(db);
  return rows;
}

/** Ends, begins and tunes spans at `nowUs`; devices deleted meanwhile are passed over. */
export async function writeChange(
  trx: Transaction<Tables>,
  { locationNo, change, nowUs }: { locationNo: number; change: Change; nowUs: number },
): Promise<void> {
  if (change.close.length > 0) {
    await sql`
      update assignment_spans set to_us = greatest(from_us, ${nowUs}::bigint)
      where location_no = ${locationNo} and to_us is null
        and device_no = any(${change.close.map((one) => one.deviceNo)}::int[])`.execute(trx);
  }
  if (change.tune.length > 0) {
    await sql`
      update assignment_spans s set runs_chain = g.runs_chain
      from unnest(
        ${change.tune.map((one) => one.deviceNo)}::int[], ${change.tune.map((one) => one.runsChain)}::boolean[]
      ) as g (device_no, runs_chain)
      where s.device_no = g.device_no and s.location_no = ${locationNo} and s.to_us is null`.execute(trx);
  }
  if (change.open.length > 0) {
    const by = <K extends keyof Holding>(key: K) => change.open.map((one) => one[key]);
    await sql`
      insert into assignment_spans
        (device_no, agent_no, location_no, from_us, to_us, turn, turns, runs_chain, first_look)
      select g.device_no, g.agent_no, ${locationNo}, ${nowUs}, null, g.turn, g.turns, g.runs_chain, g.first_look
      from unnest(
        ${by('deviceNo')}::int[], ${by('agentNo')}::int[], ${by('turn')}::int[], ${by('turns')}::int[],
        ${by('runsChain')}::boolean[], ${by('firstLook')}::boolean[]
      ) as g (device_no, agent_no, turn, turns, runs_chain, first_look)
      join devices d on d.device_no = g.device_no`.execute(trx);
  }
}
