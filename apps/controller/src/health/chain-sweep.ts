import { type Kysely, sql } from 'kysely';
import { lockDevices, type Tables } from '../db/index.ts';
import { foldDevices } from './fold-store.ts';
import { orderRetries } from './orders.ts';
import { type Times, trueTimes } from './times.ts';

const devicesPerTurn = 500;

/**
 * Ends orders that nobody answered in time and asks the next vantage for the same retry; asks too where a chain is open
 * and its agent did not go on with it. Returns how many devices it looked at.
 */
export async function sweepChains(
  db: Kysely<Tables>,
  nowUs: number,
  times: Times = trueTimes,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const { rows: overdue } = await sql<{ device_no: number }>`
      select distinct device_no from orders where state = 'Open' and deadline_us < ${nowUs}::bigint
      limit ${devicesPerTurn}`.execute(trx);
    const waiting = await forsaken(trx, nowUs, times);
    const deviceNos = [...new Set([...overdue.map((row) => row.device_no), ...waiting])];
    if (deviceNos.length === 0) return 0;
    // The devices before their orders, as ingest does it: else the two could wait for each other.
    await lockDevices(trx, deviceNos);
    const { rows: expired } = await sql<{ device_no: number; kind: string }>`
      update orders set state = 'Expired'
      where state = 'Open' and deadline_us < ${nowUs}::bigint and device_no = any(${deviceNos}::int[])
      returning device_no, kind`.execute(trx);
    const unanswered = expired.filter((row) => row.kind === 'Retry').map((row) => row.device_no);
    const toAsk = [...new Set([...unanswered, ...waiting])];
    const devices = await foldDevices(trx, toAsk, times);
    await orderRetries(
      trx,
      [...devices.values()].map((device) => ({ device, state: device.state })),
      { agentGoesOn: false, nowUs, times },
    );
    return toAsk.length;
  });
}

/** Devices whose chain should have had its next answer by now and for which nobody is asked. */
async function forsaken(trx: Kysely<Tables>, nowUs: number, times: Times): Promise<number[]> {
  const { rows } = await sql<{ device_no: number }>`
    select s.device_no from device_state s join devices d on d.device_no = s.device_no
    where s.retrying
      and (s.state -> 'chain' ->> 'lastEndUs')::bigint
        + d.retry_delay_s * ${times.retryDelayUs(1)}::bigint + d.timeout_s * 1000000::bigint
        + ${2 * times.answerGraceUs}::bigint < ${nowUs}::bigint
      and (s.state -> 'chain' ->> 'revision')::int >= d.target_revision
      and not exists (
        select 1 from orders o where o.device_no = s.device_no and o.kind = 'Retry' and o.state = 'Open')
    limit ${devicesPerTurn}`.execute(trx);
  return rows.map((row) => row.device_no);
}
