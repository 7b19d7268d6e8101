import type { RequestedCheck } from '@vantage/alerts';
import { parseCheckId, verdictOf } from '@vantage/domain';
import { startOfDay, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

/** The present state of the requested checks, by run request. A request that no longer exists was not answered. */
export async function requestedChecks(
  trx: Kysely<Tables>,
  requestIds: readonly string[],
): Promise<Map<string, RequestedCheck>> {
  if (requestIds.length === 0) return new Map();
  const requests = await trx
    .selectFrom('run_requests')
    .select(['run_request_id', 'state', 'check_id', 'deadline_us'])
    .where(sql<boolean>`run_request_id = any(${requestIds}::text[])`)
    .execute();
  const keys = requests.flatMap(({ check_id }) => (check_id === null ? [] : (parseCheckId(check_id) ?? [])));
  const answers = await answersOf(trx, keys);
  const found = new Map<string, RequestedCheck>(requestIds.map((id) => [id, { kind: 'unanswered' }]));
  for (const { run_request_id, state, check_id, deadline_us } of requests) {
    if (state === 'Open') found.set(run_request_id, { kind: 'open', deadlineUs: deadline_us });
    const answer = check_id === null ? undefined : answers.get(check_id);
    if (answer !== undefined) found.set(run_request_id, answer);
  }
  return found;
}

/** The checks that answer requests. Requested checks are never packed. */
async function answersOf(
  trx: Kysely<Tables>,
  keys: readonly { readonly deviceNo: number; readonly startUs: number; readonly agentNo: number }[],
): Promise<Map<string, RequestedCheck>> {
  if (keys.length === 0) return new Map();
  const firstUs = startOfDay(Math.min(...keys.map(({ startUs }) => startUs)));
  const { rows } = await sql<{ check_id: string; code: number; end_us: number }>`
    with answers as materialized (
      select c.run_request_id, c.code, c.end_us
      from unnest(${keys.map((key) => key.deviceNo)}::int[], ${keys.map((key) => key.startUs)}::bigint[],
        ${keys.map((key) => key.agentNo)}::int[]) as g (device_no, start_us, agent_no)
      join checks c on c.device_no = g.device_no and c.start_us = g.start_us and c.agent_no = g.agent_no
        and c.start_us >= ${sql.lit(firstUs)})
    select r.check_id, a.code, a.end_us from answers a join run_requests r using (run_request_id)`.execute(
    trx,
  );
  return new Map(
    rows.map(({ check_id, code, end_us }) => [
      check_id,
      { kind: 'answered', verdict: verdictOf(code), endUs: end_us },
    ]),
  );
}
