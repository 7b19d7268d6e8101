import { publish, type Row, type Tables } from '@vantage/storage';
import { type Kysely, sql } from 'kysely';

const openAtOnce = 500;

/** The agent is still at the Location of the run request. */
const isAtLocation = sql<boolean>`exists (select 1 from agents a
  where a.agent_no = run_requests.agent_no and a.location_no = run_requests.location_no)`;

/**
 * The agent's open run requests before their deadlines, oldest first. `isAssigned` is true when the device is assigned
 * to the agent now.
 */
export async function openRunRequests(db: Kysely<Tables>, agentNo: number, nowUs: number) {
  return db
    .selectFrom('run_requests')
    .select(['run_request_id', 'kind', 'device_no', 'revision', 'retry_id', 'attempt', 'not_before_us'])
    .select('traceroute')
    .select(
      sql<boolean>`exists (select 1 from assignment_spans s
        where s.device_no = run_requests.device_no and s.agent_no = run_requests.agent_no and s.to_us is null)`.as(
        'isAssigned',
      ),
    )
    .where('agent_no', '=', agentNo)
    .where(isAtLocation)
    .where('state', '=', 'Open')
    .where('deadline_us', '>', nowUs)
    .orderBy('created_us')
    .limit(openAtOnce)
    .execute();
}

/** The agents among these that have open run requests which no gateway has sent. */
export async function agentsWithRunRequests(
  db: Kysely<Tables>,
  agentNos: readonly number[],
  nowUs: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('run_requests')
    .select('agent_no')
    .distinct()
    .where('state', '=', 'Open')
    .where(isAtLocation)
    .where('sent_us', 'is', null)
    .where('deadline_us', '>', nowUs)
    .where(sql<boolean>`agent_no = any(${agentNos}::int[])`)
    .execute();
  return rows.map((row) => row.agent_no);
}

/** Stores that a gateway handed these run requests to the agent's stream. */
export async function setSent(
  db: Kysely<Tables>,
  runRequestIds: readonly string[],
  nowUs: number,
): Promise<void> {
  await sql`
    update run_requests set sent_us = coalesce(sent_us, ${nowUs}::bigint) where run_request_id = any(${runRequestIds}::text[])`.execute(
    db,
  );
}

/** The checks that these run requests ask this agent to run, by run request id. */
export async function requestedChecks(
  trx: Kysely<Tables>,
  agentNo: number,
  runRequestIds: readonly string[],
) {
  if (runRequestIds.length === 0) return new Map<string, never>();
  const rows = await trx
    .selectFrom('run_requests')
    .select(['run_request_id as runRequestId', 'device_no as deviceNo', 'created_us as createdUs'])
    .select('deadline_us as deadlineUs')
    .where('agent_no', '=', agentNo)
    .where('kind', 'in', ['Retry', 'Now'])
    .where(sql<boolean>`run_request_id = any(${runRequestIds}::text[])`)
    .execute();
  return new Map(rows.map((row) => [row.runRequestId, row]));
}

/** Answers open run requests with the checks that name them, and notifies the controllers that wait for an answer. */
export async function setAnswered(
  trx: Kysely<Tables>,
  checks: readonly (Pick<Row<'checks'>, 'device_no' | 'agent_no' | 'run_request_id'> & {
    readonly check_id: string;
  })[],
  nowUs: number,
): Promise<void> {
  const answers = checks.filter((check) => check.run_request_id !== null);
  if (answers.length === 0) return;
  const { rows: answered } = await sql<{ run_request_id: string }>`
    update run_requests o set state = 'Answered', answered_us = ${nowUs}, check_id = given.check_id
    from unnest(
      ${answers.map((row) => row.run_request_id)}::text[], ${answers.map((row) => row.device_no)}::int[],
      ${answers.map((row) => row.agent_no)}::int[], ${answers.map((row) => row.check_id)}::text[]
    ) as given (run_request_id, device_no, agent_no, check_id)
    where o.run_request_id = given.run_request_id and o.device_no = given.device_no and o.agent_no = given.agent_no
      and o.state = 'Open'
    returning o.run_request_id`.execute(trx);
  await publish(trx, 'answer', ...answered);
}
