import { checkId } from '@vantage/domain';
import {
  comparePoints,
  type FoldState,
  nextRetry,
  type RequestedRetry,
  type RetryCandidate,
  type RetrySequence,
} from '@vantage/health';
import { newId } from '@vantage/kernel';
import { type Kysely, sql } from 'kysely';
import { type NewRow, publish, type Tables } from '../db/index.ts';
import { unitHash } from '../db/schedule-offset.ts';
import type { FoldDevice } from './fold-store.ts';
import type { Times } from './times.ts';

/** A device after a batch was folded. */
export interface Outcome {
  readonly device: FoldDevice;
  readonly before: FoldState;
  readonly state: FoldState;
  /** The newest result that counts came late. */
  readonly endsLate: boolean;
  /** The batch held an error or an inconclusive result that came at once: the next retry may be due. */
  readonly mayNeedRetry: boolean;
}

/** A retry sequence's id: the one its opening result carries, else that check's own id. */
export function retryIdOf(deviceNo: number, retrySequence: RetrySequence): string {
  return retrySequence.retryId ?? checkId({ deviceNo, ...retrySequence.opened });
}

/**
 * Orders what a batch calls for: the next retry of open retry sequences (with word to the agent that saw the error that its retry sequence
 * is looked after), and a check now where a late story says that the device is not Up. Orders of retry sequences that ended are
 * withdrawn.
 */
export async function requestAfterFold(
  trx: Kysely<Tables>,
  outcomes: readonly Outcome[],
  nowUs: number,
  times: Times,
): Promise<void> {
  const ended = outcomes.filter(
    ({ before, state }) =>
      before.retrySequence !== null && !isSameRetrySequence(before.retrySequence, state.retrySequence),
  );
  await withdraw(
    trx,
    ended.map(({ device }) => device.deviceNo),
  );
  const sequences = outcomes.flatMap(({ device, state, mayNeedRetry }) => {
    const isLive =
      state.retrySequence !== null &&
      nowUs - state.retrySequence.lastEndUs < times.lateAfterUs + device.timeoutUs;
    return mayNeedRetry && isLive ? [{ device, state }] : [];
  });
  await requestRetries(trx, sequences, { agentRetriesLocally: true, nowUs, times });
  await requestNow(
    trx,
    outcomes.filter(
      ({ state, endsLate }) => endsLate && (state.status === 'Down' || state.retrySequence !== null),
    ),
    nowUs,
    times,
  );
}

/**
 * Orders the next retry of each device's open retry sequence, where there is anybody to ask. Whoever gave the last error is told
 * when it is not the one to retry: it would go on by itself.
 */
export async function requestRetries(
  trx: Kysely<Tables>,
  sequences: readonly { readonly device: FoldDevice; readonly state: FoldState }[],
  {
    agentRetriesLocally,
    nowUs,
    times,
  }: { readonly agentRetriesLocally: boolean; readonly nowUs: number; readonly times: Times },
): Promise<void> {
  const open = sequences.flatMap(({ device, state: { retrySequence } }) =>
    retrySequence === null || retrySequence.revision < device.targetRevision
      ? []
      : [{ device, retrySequence }],
  );
  if (open.length === 0) return;
  const deviceNos = open.map(({ device }) => device.deviceNo);
  const candidates = await candidatesOf(trx, deviceNos);
  const requested = await requestedRetriesOf(trx, deviceNos);
  const requests = open.flatMap(({ device, retrySequence }): NewRow<'run_requests'>[] => {
    const retryId = retryIdOf(device.deviceNo, retrySequence);
    const before = (requested.get(device.deviceNo) ?? []).filter((one) => one.retryId === retryId);
    const eligible = candidates.get(device.deviceNo) ?? [];
    const last = eligible.find((one) => one.isAssigned && one.agentNo === retrySequence.lastAgentNo);
    const decision = nextRetry({
      retrySequence,
      retries: device.retries,
      retryDelayUs: device.retryDelayUs,
      timeoutUs: device.timeoutUs,
      graceUs: times.answerGraceUs,
      candidates: eligible,
      requested: before,
      agentRetriesLocally: agentRetriesLocally && last?.retriesLocally === true,
      nowUs,
    });
    if (decision.kind === 'leave') return [];
    const { candidate, attempt, notBeforeUs, deadlineUs } = decision;
    const common = { device, retryId, nowUs, deadlineUs };
    const retry = runRequestRow({ ...common, kind: 'Retry', candidate, attempt, notBeforeUs });
    if (last === undefined || candidate.agentNo === last.agentNo) return [retry];
    return [
      retry,
      runRequestRow({ ...common, kind: 'RetryDelegated', candidate: last, attempt: 0, notBeforeUs: 0 }),
    ];
  });
  await insertRunRequests(trx, requests);
}

async function requestNow(
  trx: Kysely<Tables>,
  outcomes: readonly Outcome[],
  nowUs: number,
  times: Times,
): Promise<void> {
  if (outcomes.length === 0) return;
  const deviceNos = outcomes.map(({ device }) => device.deviceNo);
  const candidates = await candidatesOf(trx, deviceNos);
  const requested = await trx
    .selectFrom('run_requests')
    .select('device_no')
    .where('kind', '=', 'Now')
    .where('state', '=', 'Open')
    .where('device_no', 'in', deviceNos)
    .execute();
  const waiting = new Set(requested.map((row) => row.device_no));
  const requests = outcomes.flatMap(({ device }): NewRow<'run_requests'>[] => {
    const candidate = candidates.get(device.deviceNo)?.find((one) => one.isAssigned);
    if (candidate === undefined || waiting.has(device.deviceNo)) return [];
    const deadlineUs = nowUs + device.timeoutUs + times.answerGraceUs;
    return [
      runRequestRow({
        device,
        kind: 'Now',
        candidate,
        attempt: 0,
        notBeforeUs: 0,
        deadlineUs,
        retryId: null,
        nowUs,
      }),
    ];
  });
  await insertRunRequests(trx, requests);
}

/** An agent; `retriesLocally`: the plan lets the device's own agent go on by itself. */
type EligibleAgent = RetryCandidate & { readonly retriesLocally: boolean };

/**
 * Which agents are connected, well and at a Location where somebody is assigned to these devices? In order of Location, the
 * device's own agent first, the others in an order of each device's own, so that retries are spread.
 */
async function candidatesOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Map<number, EligibleAgent[]>> {
  const { rows } = await sql<EligibleAgent & { deviceNo: number }>`
    select s.device_no as "deviceNo", a.agent_no as "agentNo", s.location_no as "locationNo",
      a.agent_no = s.agent_no as "isAssigned", s.retries_locally as "retriesLocally"
    from assignment_spans s join agents a on a.location_no = s.location_no
    where s.device_no = any(${deviceNos}::int[]) and s.to_us is null
      and a.state = 'Connected' and a.offline_reason is null
    order by s.location_no, a.agent_no`.execute(trx);
  const spread = (one: EligibleAgent & { deviceNo: number }) =>
    one.isAssigned ? 0 : unitHash(one.deviceNo, one.agentNo);
  return Map.groupBy(
    rows.sort((a, b) => a.locationNo - b.locationNo || spread(a) - spread(b)),
    (row) => row.deviceNo,
  );
}

/** Which retries of these devices were asked for? */
async function requestedRetriesOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Map<number, (RequestedRetry & { readonly retryId: string | null })[]>> {
  const rows = await trx
    .selectFrom('run_requests')
    .select(['device_no', 'attempt', 'agent_no', 'retry_id', 'state'])
    .where('kind', '=', 'Retry')
    .where(sql<boolean>`device_no = any(${deviceNos}::int[])`)
    .execute();
  const requested = rows.map((row) => ({
    deviceNo: row.device_no,
    attempt: row.attempt,
    agentNo: row.agent_no,
    retryId: row.retry_id,
    state: row.state === 'Open' ? ('open' as const) : ('ended' as const),
  }));
  return Map.groupBy(requested, (one) => one.deviceNo);
}

function isSameRetrySequence(a: RetrySequence, b: RetrySequence | null): boolean {
  return b !== null && comparePoints(a.opened, b.opened) === 0;
}

/** Takes back retries of retry sequences that ended and were not answered. */
async function withdraw(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void> {
  if (deviceNos.length === 0) return;
  await sql`
    update run_requests set state = 'Expired'
    where device_no = any(${deviceNos}::int[]) and state = 'Open' and kind in ('Retry', 'RetryDelegated')`.execute(
    trx,
  );
}

function runRequestRow(request: {
  readonly device: FoldDevice;
  readonly kind: 'Retry' | 'Now' | 'RetryDelegated';
  readonly candidate: RetryCandidate;
  readonly attempt: number;
  readonly notBeforeUs: number;
  readonly deadlineUs: number;
  readonly retryId: string | null;
  readonly nowUs: number;
}): NewRow<'run_requests'> {
  return {
    run_request_id: newId(),
    kind: request.kind,
    device_no: request.device.deviceNo,
    agent_no: request.candidate.agentNo,
    location_no: request.candidate.locationNo,
    revision: request.device.revision,
    retry_id: request.retryId,
    attempt: request.attempt,
    not_before_us: request.notBeforeUs,
    deadline_us: request.deadlineUs,
    created_us: request.nowUs,
  };
}

/** Writes orders and tells the gateways that have their agents. */
async function insertRunRequests(
  trx: Kysely<Tables>,
  requests: readonly NewRow<'run_requests'>[],
): Promise<void> {
  if (requests.length === 0) return;
  await trx
    .insertInto('run_requests')
    .values([...requests])
    .execute();
  const agentNos = [...new Set(requests.map((request) => request.agent_no))];
  await publish(trx, 'runRequest', ...agentNos.map((agentNo) => ({ agent_no: agentNo })));
}
