import type { Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The number of checks of the device that were requested from `sinceUs` on. */
export async function checksRequested(
  trx: Kysely<Tables>,
  deviceNo: number,
  sinceUs: number,
): Promise<number> {
  const { count } = await trx
    .selectFrom('run_requests')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('device_no', '=', deviceNo)
    .where('kind', '=', 'Now')
    .where('created_us', '>=', sinceUs)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** A requested check that is answered already serves other alerts for this long, microseconds. */
const freshUs = 10_000_000;

/** An agent that can run a requested check. */
export interface CheckAgent {
  readonly agentNo: number;
  readonly locationNo: number;
}

/** A connected agent of a Location: this agent, if it is connected. */
export async function agentsAt(
  trx: Kysely<Tables>,
  { locationNo, agentNo }: { readonly locationNo: number; readonly agentNo: number | null },
): Promise<CheckAgent | undefined> {
  const { rows } = await sql<CheckAgent>`
    select agent_no as "agentNo", location_no as "locationNo" from agents
    where location_no = ${locationNo} and state = 'Connected'
    order by (agent_no = ${agentNo}::int) is true desc, offline_reason is null desc, agent_no limit 1`.execute(
    trx,
  );
  return rows[0];
}

/**
 * The connected agents that can check a device, one per Location: the agent that it is assigned to, if that agent is
 * connected.
 */
export async function agentsFor(trx: Kysely<Tables>, deviceNo: number): Promise<CheckAgent[]> {
  const { rows } = await sql<CheckAgent>`
    select distinct on (p.rotation_index, g.location_no) g.agent_no as "agentNo", g.location_no as "locationNo"
    from assignment_spans p join agents g on g.location_no = p.location_no
    where p.device_no = ${deviceNo} and p.to_us is null and g.state = 'Connected'
    order by p.rotation_index, g.location_no, (g.agent_no = p.agent_no) desc, g.agent_no`.execute(trx);
  return rows;
}

/**
 * A check of a device that was requested of this agent from `sinceUs` on, and that is open or was answered just now:
 * one such check serves all alerts that wait for it.
 */
export async function sharedRequest(
  trx: Kysely<Tables>,
  {
    deviceNo,
    agentNo,
    sinceUs,
    nowUs,
  }: {
    readonly deviceNo: number;
    readonly agentNo: number;
    readonly sinceUs: number;
    readonly nowUs: number;
  },
): Promise<{ readonly requestId: string; readonly deadlineUs: number } | undefined> {
  const row = await trx
    .selectFrom('run_requests')
    .select(['run_request_id', 'deadline_us'])
    .where('device_no', '=', deviceNo)
    .where('agent_no', '=', agentNo)
    .where('kind', '=', 'Now')
    .where('created_us', '>=', sinceUs)
    .where(
      sql<boolean>`((state = 'Open' and deadline_us > ${nowUs}::bigint) or (state = 'Answered' and created_us > ${nowUs - freshUs}::bigint))`,
    )
    .orderBy('created_us', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : { requestId: row.run_request_id, deadlineUs: row.deadline_us };
}
