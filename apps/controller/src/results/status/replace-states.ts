import { type FoldState, newState, storable } from '@vantage/health';
import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** Stores other states of devices whose histories stay as they are; each is the device's newest checkpoint too. */
export async function replaceStates(
  trx: Kysely<Tables>,
  states: ReadonlyMap<number, FoldState>,
): Promise<void> {
  const rows = [...states].map(([device_no, state]) => ({
    device_no,
    status: state.status,
    since_us: state.sinceUs,
    retrying: state.retrySequence !== null,
    start_us: state.at?.startUs ?? null,
    agent_no: state.at?.agentNo ?? null,
    state: storable(state),
  }));
  const given = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g (device_no int, status text, since_us bigint,
    retrying boolean, start_us bigint, agent_no int, state jsonb)`;
  await sql`
    update device_state s set version = s.version + 1, status = g.status, since_us = g.since_us, retrying = g.retrying,
      state = g.state
    from ${given} where s.device_no = g.device_no`.execute(trx);
  await sql`
    insert into state_checkpoints (device_no, start_us, agent_no, state)
    select device_no, start_us, agent_no, state from ${given} where start_us is not null
    on conflict (device_no, start_us, agent_no) do update set state = excluded.state`.execute(trx);
}

/**
 * Stores the states of new devices, whose rows and Locations are written: their status is Unknown since `nowUs`,
 * because no check has run yet.
 */
export async function insertStates(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<void> {
  await sql`
    insert into device_state (device_no, account_no, location_nos, frequency_min, since_us, state)
    select device_no, account_no,
      case when method = 'Push' then '{0}' else array(select l.location_no from device_locations l where l.device_no = d.device_no order by 1) end,
      case when enabled then interval_min(frequency_s, frequency_min) else 0 end, ${nowUs}::bigint, ${JSON.stringify(storable(newState(nowUs)))}::jsonb
    from devices d where device_no = any(${deviceNos}::int[]) order by device_no`.execute(trx);
}
