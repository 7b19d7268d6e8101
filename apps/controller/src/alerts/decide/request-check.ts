import type { AlertDecision, AlertState, RequestedCheck } from '@vantage/alerts';
import { parseCheckId, secondUs, verdictOf } from '@vantage/domain';
import { type Kysely, sql } from 'kysely';
import { type NewRunRequest, startOfDay, type Tables, timeoutsUntilAnswer } from '../../platform/db/index.ts';
import type { DueAlert, SubjectRow } from './due-store.ts';

/** Stores run requests and notifies the gateways of their agents. Resolves with their ids. */
export type CreateRunRequests = (
  trx: Kysely<Tables>,
  requests: readonly NewRunRequest[],
) => Promise<readonly string[]>;

/** A check that was requested for an alert. */
export interface SentRequest {
  readonly requestId: string;
  readonly deadlineUs: number;
}

/**
 * Requests the check that a decision asks for, or finds one that serves it: of the master from the Location and agent
 * that saw the device fail, of the device from its Locations one after the other. Undefined where no agent can run it
 * now.
 */
export async function requestCheck(
  trx: Kysely<Tables>,
  {
    alert,
    subject,
    state,
    request,
    graceUs,
    nowUs,
  }: {
    readonly alert: DueAlert;
    readonly subject: SubjectRow;
    readonly state: AlertState;
    readonly request: NonNullable<AlertDecision['request']>;
    /** An answer may take this much longer than the checks that it waits for. */
    readonly graceUs: number;
    readonly nowUs: number;
  },
  createRunRequests: CreateRunRequests,
): Promise<SentRequest | undefined> {
  const of = request.of === 'master' ? masterOf(subject) : deviceOf(alert, subject);
  if (of === undefined) return undefined;
  const agent = await agentOf(trx, request.of, { alert, state, deviceNo: of.deviceNo });
  if (agent === undefined) return undefined;
  const sinceUs = request.of === 'master' ? state.judgedFromUs : state.phaseSinceUs;
  if (request.notBeforeUs <= nowUs && state.failedChecks === 0) {
    const shared = await sharedRequest(trx, {
      deviceNo: of.deviceNo,
      agentNo: agent.agentNo,
      sinceUs,
      nowUs,
    });
    if (shared !== undefined) return shared;
  }
  const notBeforeUs = request.notBeforeUs > nowUs ? request.notBeforeUs : 0;
  // A master has its Timeout and 5 s, whatever runs before (docs/alerts.md, "Masters").
  const timeouts = request.of === 'master' ? 1 : timeoutsUntilAnswer;
  const deadlineUs = Math.max(nowUs, notBeforeUs) + timeouts * of.timeoutS * secondUs + graceUs;
  const { deviceNo, revision } = of;
  const [requestId] = await createRunRequests(trx, [
    {
      kind: 'Now',
      deviceNo,
      ...agent,
      revision,
      retryId: null,
      attempt: 0,
      notBeforeUs,
      deadlineUs,
      createdUs: nowUs,
    },
  ]);
  return requestId === undefined ? undefined : { requestId, deadlineUs };
}

interface CheckedDevice {
  readonly deviceNo: number;
  readonly revision: number;
  readonly timeoutS: number;
}

function masterOf(subject: SubjectRow): CheckedDevice | undefined {
  if (subject.masterNo === null) return undefined;
  const revision = subject.masterIsCheckedHere ? subject.masterRevision : 0;
  return { deviceNo: subject.masterNo, revision, timeoutS: subject.masterTimeoutS };
}

function deviceOf({ device_no }: DueAlert, { revision, timeoutS }: SubjectRow): CheckedDevice | undefined {
  return device_no === null ? undefined : { deviceNo: device_no, revision, timeoutS };
}

async function agentOf(
  trx: Kysely<Tables>,
  of: 'master' | 'device',
  {
    alert,
    state,
    deviceNo,
  }: { readonly alert: DueAlert; readonly state: AlertState; readonly deviceNo: number },
): Promise<CheckAgent | undefined> {
  if (of === 'master') {
    const { location_no: locationNo, agent_no: agentNo } = alert;
    return locationNo === null ? undefined : agentsAt(trx, { locationNo, agentNo });
  }
  const agents = await agentsFor(trx, deviceNo);
  if (agents.length < 2) return agents[0];
  // Also after a check that decided nothing: the policy of one agent may forbid it for ever.
  const requested = await checksRequested(trx, deviceNo, state.phaseSinceUs);
  return agents[requested % agents.length];
}

/** How many checks of the device were requested from `sinceUs` on. */
async function checksRequested(trx: Kysely<Tables>, deviceNo: number, sinceUs: number): Promise<number> {
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
/** Agents that begin a check of a device in the same microsecond. */
const mostAgents = 100;

/** The requested checks as they stand now, by run request. One that does not exist any more was not answered. */
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

/**
 * The checks that answer requests. While a worker of a distributed history is away, new checks are held on the
 * coordinator, and of the stored ones of that worker none is found.
 */
async function answersOf(
  trx: Kysely<Tables>,
  keys: readonly { readonly deviceNo: number; readonly startUs: number; readonly agentNo: number }[],
): Promise<Map<string, RequestedCheck>> {
  if (keys.length === 0) return new Map();
  const firstUs = startOfDay(Math.min(...keys.map(({ startUs }) => startUs)));
  const { rows } = await sql<{ check_id: string; code: number; end_us: number }>`
    with given as (
      select * from unnest(${keys.map((key) => key.deviceNo)}::int[], ${keys.map((key) => key.startUs)}::bigint[],
        ${keys.map((key) => key.agentNo)}::int[]) as g (device_no, start_us, agent_no)),
    answers as materialized (
      select c.run_request_id, c.code, c.end_us
      from given g cross join lateral newest_checks(g.device_no, g.start_us - 1, ${sql.lit(firstUs)}, g.start_us + 1, ${mostAgents}) c
      where c.agent_no = g.agent_no
      union all
      select h.stored ->> 'run_request_id', (h.stored ->> 'code')::smallint, (h.stored ->> 'end_us')::bigint
      from given g join held_checks h using (device_no, start_us, agent_no))
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

/** An agent that can run a requested check. */
interface CheckAgent {
  readonly agentNo: number;
  readonly locationNo: number;
}

/** The connected agents of a Location: this one first, where it is connected. */
async function agentsAt(
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
 * The connected agents that can check a device, one a Location: the one that it is assigned to where that one is
 * connected.
 */
async function agentsFor(trx: Kysely<Tables>, deviceNo: number): Promise<CheckAgent[]> {
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
async function sharedRequest(
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
