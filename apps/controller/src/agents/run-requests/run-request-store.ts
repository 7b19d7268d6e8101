import { cleanLine, isReceived, maxTimeoutS, secondUs, timeoutsUntilAnswer } from '@vantage/domain';
import { newId } from '@vantage/kernel';
import { lockCheckNow, publish, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';
import type { NewRunRequest } from './new-run-request.ts';

/** Stores run requests and notifies the gateways of their agents. Resolves with their ids. */
export async function createRunRequests(
  trx: Kysely<Tables>,
  requests: readonly NewRunRequest[],
): Promise<readonly string[]> {
  if (requests.length === 0) return [];
  const rows = requests.map((request) => ({
    run_request_id: newId(),
    kind: request.kind,
    device_no: request.deviceNo,
    agent_no: request.agentNo,
    location_no: request.locationNo,
    revision: request.revision,
    retry_id: request.retryId,
    attempt: request.attempt,
    not_before_us: request.notBeforeUs,
    deadline_us: request.deadlineUs,
    created_us: request.createdUs,
  }));
  await trx.insertInto('run_requests').values(rows).execute();
  const agentNos = [...new Set(rows.map((row) => row.agent_no))];
  await publish(trx, 'runRequest', ...agentNos.map((agentNo) => ({ agent_no: agentNo })));
  return rows.map((row) => row.run_request_id);
}

/**
 * The longest wait for a requested check and the checks of the device before it, seconds: twice the maximum Timeout.
 */
const maxWaitS = timeoutsUntilAnswer * maxTimeoutS;

/**
 * Requests one check of the device. It goes to the first agent that can run it, in this order: agents that are online
 * before those that are offline or leave, then agents to which the device is assigned, then the agent that runs the
 * first check, then the rotation. Undefined when no connected agent could run it. The check of a paused device has
 * revision 0: it is history and changes no status.
 *
 * Checks of a device never overlap, and an agent runs a regular check between two requested ones. So the deadline grows
 * with the requests that the agent was given before and did not answer yet.
 */
export async function createCheckNowRequest(
  trx: Kysely<Tables>,
  request: {
    readonly runRequestId: string;
    readonly deviceNo: number;
    readonly nowUs: number;
    /** The deadline is this much later than the checks that the answer waits for take at the longest. */
    readonly marginUs: number;
    /** A traceroute follows the check. Only agents that trace on request can run it. */
    readonly traceroute: boolean;
  },
): Promise<{ readonly deadlineUs: number } | undefined> {
  const { runRequestId, deviceNo, nowUs, marginUs, traceroute } = request;
  // Of two concurrent callers the later one counts the request of the earlier one.
  await lockCheckNow(trx, deviceNo);
  const { rows } = await sql<{ agent_no: number; deadline_us: number }>`
    insert into run_requests (run_request_id, kind, device_no, agent_no, location_no, revision, deadline_us, created_us, traceroute)
    select ${runRequestId}, 'Now', c.device_no, c.agent_no, c.location_no, c.revision,
      ${nowUs + marginUs}::bigint + least(c.timeout_s * ${sql.lit(timeoutsUntilAnswer)} * (1 + before.requests), ${sql.lit(maxWaitS)})
        * ${sql.lit(secondUs)}::bigint, ${nowUs}, ${traceroute}::boolean
    from (
      select d.device_no, a.agent_no, s.location_no, d.timeout_s, case when d.enabled then d.revision else 0 end as revision
      from devices d
        join (
          select device_no, agent_no, location_no, run_immediately, rotation_index from assignment_spans where to_us is null
          union all
          -- A paused device is assigned to no agent.
          select p.device_no, null, dl.location_no, false, dl.rotation_index
          from devices p join device_locations dl on dl.device_no = p.device_no where not p.enabled
        ) s on s.device_no = d.device_no
        join agents a on a.location_no = s.location_no and a.state = 'Connected'
      where d.device_no = ${deviceNo} and (a.traces_on_request or not ${traceroute}::boolean)
      order by a.offline_reason is null and a.leaving_since_us is null desc, (a.agent_no = s.agent_no) is true desc, s.run_immediately desc, s.rotation_index, a.agent_no limit 1
    ) c cross join lateral (
      select count(*) as requests from run_requests r
      where r.device_no = c.device_no and r.agent_no = c.agent_no and r.kind = 'Now' and r.state = 'Open' and r.deadline_us > ${nowUs}::bigint
    ) before
    returning agent_no, deadline_us`.execute(trx);
  const [created] = rows;
  if (!created) return undefined;
  await publish(trx, 'runRequest', { agent_no: created.agent_no });
  return { deadlineUs: created.deadline_us };
}

/**
 * Whether a device that is not paused has no agent yet, although an agent of its Locations is connected: it was just
 * created or changed.
 */
export async function awaitsAssignment(db: Kysely<Tables>, deviceNo: number): Promise<boolean> {
  const { rows } = await sql<{ awaits: boolean }>`
    select d.enabled and not exists (select 1 from assignment_spans s where s.device_no = d.device_no and s.to_us is null)
      and exists (select 1 from device_locations l join agents a on a.location_no = l.location_no and a.state = 'Connected'
        where l.device_no = d.device_no) as awaits
    from devices d where d.device_no = ${deviceNo}`.execute(db);
  return rows[0]?.awaits ?? false;
}

/** Agents at the device's Locations that are connected but do not trace on request: `edge (version 0.1.0)`. */
export async function agentsWithoutTraces(db: Kysely<Tables>, deviceNo: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('agents')
    .innerJoin('device_locations', 'device_locations.location_no', 'agents.location_no')
    .select(['name', 'version'])
    .where('device_no', '=', deviceNo)
    .where('state', '=', 'Connected')
    .where('traces_on_request', '=', false)
    .orderBy('name')
    .limit(5)
    .execute();
  return rows.map(({ name, version }) => `${cleanLine(name)} (version ${cleanLine(version ?? 'unknown')})`);
}

/** The check that answered the run request; undefined while there is none. */
export async function answerOf(db: Kysely<Tables>, runRequestId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('run_requests')
    .select('check_id')
    .where('run_request_id', '=', runRequestId)
    .where('state', '=', 'Answered')
    .executeTakeFirst();
  return row?.check_id ?? undefined;
}

/** Expires the run request unless it is answered. */
export async function expireRunRequest(db: Kysely<Tables>, runRequestId: string): Promise<void> {
  await db
    .updateTable('run_requests')
    .set({ state: 'Expired' })
    .where('run_request_id', '=', runRequestId)
    .where('state', '=', 'Open')
    .execute();
}

/** Withdraws the open retries of these devices, because their retry sequences ended. */
export async function withdrawRetries(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  if (deviceNos.length === 0) return;
  await sql`
    update run_requests set state = 'Expired'
    where device_no = any(${deviceNos}::int[]) and state = 'Open' and kind in ('Retry', 'RetryDelegated')`.execute(
    trx,
  );
}

/**
 * Expires the open run requests of these devices that are past their deadline. Resolves with the device and kind of
 * each.
 */
export async function expireOverdue(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
  nowUs: number,
): Promise<{ readonly deviceNo: number; readonly kind: string }[]> {
  const { rows } = await sql<{ deviceNo: number; kind: string }>`
    update run_requests set state = 'Expired'
    where state = 'Open' and deadline_us < ${nowUs}::bigint and device_no = any(${deviceNos}::int[])
    returning device_no as "deviceNo", kind`.execute(trx);
  return rows;
}

/** The retries that were requested for these devices, open or ended. */
export async function requestedRetries(trx: Kysely<Tables>, deviceNos: readonly number[]) {
  const rows = await trx
    .selectFrom('run_requests')
    .select(['device_no', 'attempt', 'agent_no', 'retry_id', 'state'])
    .where('kind', '=', 'Retry')
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .execute();
  return rows.map((row) => ({
    deviceNo: row.device_no,
    attempt: row.attempt,
    agentNo: row.agent_no,
    retryId: row.retry_id,
    state: row.state === 'Open' ? ('open' as const) : ('ended' as const),
  }));
}

/** The devices among these that have an open request for a check. */
export async function devicesWithOpenNow(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Set<number>> {
  const rows = await trx
    .selectFrom('run_requests')
    .select('device_no')
    .where('kind', '=', 'Now')
    .where('state', '=', 'Open')
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .execute();
  return new Set(rows.map((row) => row.device_no));
}

/**
 * Deletes the run requests that ended and were created before `beforeUs`, and trials of controllers that ended before
 * them.
 */
export async function deleteEnded(db: Kysely<Tables>, beforeUs: number): Promise<void> {
  await sql`delete from run_requests where state <> 'Open' and created_us < ${beforeUs}::bigint`.execute(db);
  await sql`delete from trials where created_us < ${beforeUs}::bigint`.execute(db);
}

/** Whether controllers receive the calls of this device, so that no agent checks it. */
export async function isReceivedDevice(db: Kysely<Tables>, deviceNo: number): Promise<boolean> {
  const row = await db
    .selectFrom('devices')
    .select('method')
    .where('device_no', '=', deviceNo)
    .executeTakeFirst();
  return row !== undefined && isReceived(row.method);
}
