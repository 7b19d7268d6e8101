import { checkId } from '@vantage/domain';
import { unitHash } from '@vantage/domain/schedule-offset';
import {
  comparePoints,
  type FoldState,
  nextRetry,
  type OpenRetrySequence,
  type RequestedRetry,
  type RetryCandidate,
} from '@vantage/health';
import { pipelined, type Tables } from '@vantage/storage';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NewRunRequest } from '../../agents/run-requests/new-run-request.ts';
import type { FoldDevice } from './fold-store.ts';
import type { Times } from './times.ts';

/** The stored run requests, as this step uses them. */
export interface RetryRunRequests {
  createRunRequests(trx: Kysely<Tables>, requests: readonly NewRunRequest[]): Promise<unknown>;
  /** The retries that were requested for these devices. */
  requestedRetries(
    trx: Kysely<Tables>,
    deviceNos: readonly number[],
  ): Promise<readonly (RequestedRetry & { readonly deviceNo: number; readonly retryId: string | null })[]>;
  /** The devices among these that have an open request for a check. */
  devicesWithOpenNow(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<ReadonlySet<number>>;
  /** Withdraws the open retries of these devices. */
  withdrawRetries(trx: Kysely<Tables>, deviceNos: readonly number[]): Promise<void>;
  /** Expires the open run requests of these devices that are past their deadline. */
  expireOverdue(
    trx: Kysely<Tables>,
    deviceNos: readonly number[],
    nowUs: number,
  ): Promise<readonly { readonly deviceNo: number; readonly kind: string }[]>;
}

export interface RetryDeps {
  readonly times: Times;
  readonly runRequests: RetryRunRequests;
}

/** A device after a batch was folded. */
export interface FoldedDevice {
  readonly device: FoldDevice;
  readonly before: FoldState;
  readonly state: FoldState;
  /** The newest result that counts came late. */
  readonly endsLate: boolean;
  /** The batch held an error or an inconclusive result that came at once: the next retry may be due. */
  readonly mayNeedRetry: boolean;
}

/** A retry sequence's id: the one its opening result carries, else that check's own id. */
function retryIdOf(deviceNo: number, retrySequence: OpenRetrySequence): string {
  return retrySequence.retryId ?? checkId({ deviceNo, ...retrySequence.opened });
}

/**
 * Creates the run requests that follow from a batch: the next retry of each open retry sequence, and a check now where
 * late results end with a device that is not Up. Run requests of retry sequences that ended are withdrawn.
 */
export async function requestAfterFold(
  trx: Kysely<Tables>,
  outcomes: readonly FoldedDevice[],
  nowUs: number,
  deps: RetryDeps,
): Promise<void> {
  const { times, runRequests } = deps;
  const ended = outcomes.filter(
    ({ before, state }) =>
      before.retrySequence !== null && !isSameRetrySequence(before.retrySequence, state.retrySequence),
  );
  await runRequests.withdrawRetries(
    trx,
    ended.map(({ device }) => device.deviceNo),
  );
  const sequences = outcomes.flatMap(({ device, state, mayNeedRetry }) => {
    const isLive =
      state.retrySequence !== null &&
      nowUs - state.retrySequence.lastEndUs < times.lateAfterUs + device.timeoutUs;
    return mayNeedRetry && isLive ? [{ device, state }] : [];
  });
  await requestRetries(trx, sequences, { ...deps, agentRetriesLocally: true, nowUs });
  await requestNow(
    trx,
    outcomes.filter(
      ({ state, endsLate }) => endsLate && (state.status === 'Down' || state.retrySequence !== null),
    ),
    nowUs,
    deps,
  );
}

/**
 * Requests the next retry of each device's open retry sequence, where an agent can run it. When another agent than the
 * one with the last error is chosen, the latter gets a `RetryDelegated`, because it would otherwise retry locally.
 */
export async function requestRetries(
  trx: Kysely<Tables>,
  sequences: readonly { readonly device: FoldDevice; readonly state: FoldState }[],
  {
    agentRetriesLocally,
    nowUs,
    times,
    runRequests,
  }: RetryDeps & { readonly agentRetriesLocally: boolean; readonly nowUs: number },
): Promise<void> {
  const open = sequences.flatMap(({ device, state: { retrySequence } }) =>
    retrySequence === null || retrySequence.revision < device.targetRevision
      ? []
      : [{ device, retrySequence }],
  );
  if (open.length === 0) return;
  const deviceNos = open.map(({ device }) => device.deviceNo);
  const [candidates, retries] = await pipelined(trx, (pipe) => [
    candidatesOf(pipe, deviceNos),
    runRequests.requestedRetries(pipe, deviceNos),
  ]);
  const requested = Map.groupBy(retries, (one) => one.deviceNo);
  const requests = open.flatMap(({ device, retrySequence }): NewRunRequest[] => {
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
    const retry = newRunRequest({ ...common, kind: 'Retry', candidate, attempt, notBeforeUs });
    if (last === undefined || candidate.agentNo === last.agentNo) return [retry];
    return [
      retry,
      newRunRequest({ ...common, kind: 'RetryDelegated', candidate: last, attempt: 0, notBeforeUs: 0 }),
    ];
  });
  await runRequests.createRunRequests(trx, requests);
}

async function requestNow(
  trx: Kysely<Tables>,
  outcomes: readonly FoldedDevice[],
  nowUs: number,
  { times, runRequests }: RetryDeps,
): Promise<void> {
  if (outcomes.length === 0) return;
  const deviceNos = outcomes.map(({ device }) => device.deviceNo);
  const [candidates, waiting] = await pipelined(trx, (pipe) => [
    candidatesOf(pipe, deviceNos),
    runRequests.devicesWithOpenNow(pipe, deviceNos),
  ]);
  const requests = outcomes.flatMap(({ device }): NewRunRequest[] => {
    const candidate = candidates.get(device.deviceNo)?.find((one) => one.isAssigned);
    if (candidate === undefined || waiting.has(device.deviceNo)) return [];
    const deadlineUs = nowUs + device.timeoutUs + times.answerGraceUs;
    return [
      newRunRequest({
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
  await runRequests.createRunRequests(trx, requests);
}

/** `retriesLocally`: the plan lets the device's agent retry locally. */
type EligibleAgent = RetryCandidate & { readonly retriesLocally: boolean };

/** The agent `a` may retry devices of the open span `s` at its Location. */
const canRetry = sql<boolean>`s.to_us is null and a.state = 'Connected' and a.offline_reason is null
  and a.leaving_since_us is null`;

/** Whether an agent may retry the device now. */
export function canBeRetried(deviceNo: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`exists (select from assignment_spans s join agents a on a.location_no = s.location_no
    where s.device_no = ${deviceNo} and ${canRetry})`;
}

/**
 * The agents that are connected, not offline and at a Location that checks these devices. They are in order of
 * Location. The agent to which the device is assigned comes first, the others in an order that differs by device, so
 * that retries are spread.
 */
async function candidatesOf(
  trx: Kysely<Tables>,
  deviceNos: readonly number[],
): Promise<Map<number, EligibleAgent[]>> {
  const { rows } = await sql<EligibleAgent & { deviceNo: number }>`
    select s.device_no as "deviceNo", a.agent_no as "agentNo", s.location_no as "locationNo",
      a.agent_no = s.agent_no as "isAssigned", s.retries_locally as "retriesLocally"
    from assignment_spans s join agents a on a.location_no = s.location_no
    where s.device_no = any(${deviceNos}::int[]) and ${canRetry}
    order by s.location_no, a.agent_no`.execute(trx);
  const spread = (one: EligibleAgent & { deviceNo: number }) =>
    one.isAssigned ? 0 : unitHash(one.deviceNo, one.agentNo);
  return Map.groupBy(
    rows.sort((a, b) => a.locationNo - b.locationNo || spread(a) - spread(b)),
    (row) => row.deviceNo,
  );
}

function isSameRetrySequence(a: OpenRetrySequence, b: OpenRetrySequence | null): boolean {
  return b !== null && comparePoints(a.opened, b.opened) === 0;
}

function newRunRequest(request: {
  readonly device: FoldDevice;
  readonly kind: NewRunRequest['kind'];
  readonly candidate: RetryCandidate;
  readonly attempt: number;
  readonly notBeforeUs: number;
  readonly deadlineUs: number;
  readonly retryId: string | null;
  readonly nowUs: number;
}): NewRunRequest {
  return {
    kind: request.kind,
    deviceNo: request.device.deviceNo,
    agentNo: request.candidate.agentNo,
    locationNo: request.candidate.locationNo,
    revision: request.device.revision,
    retryId: request.retryId,
    attempt: request.attempt,
    notBeforeUs: request.notBeforeUs,
    deadlineUs: request.deadlineUs,
    createdUs: request.nowUs,
  };
}
