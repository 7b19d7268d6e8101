import type { AlertDecision, AlertState } from '@vantage/alerts';
import { secondUs, timeoutsUntilAnswer } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import type { NewRunRequest } from '../../agents/run-requests/new-run-request.ts';
import { agentsAt, agentsFor, type CheckAgent, checksRequested, sharedRequest } from './check-agent-store.ts';
import type { DueAlert } from './due-store.ts';
import type { SubjectRow } from './subject-store.ts';

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
 * Requests the check that a decision needs, or finds one that serves it: of the master from the Location and agent
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
  const target = request.target === 'master' ? masterOf(subject) : deviceOf(alert, subject);
  if (target === undefined) return undefined;
  const agent = await agentOf(trx, request.target, { alert, state, deviceNo: target.deviceNo });
  if (agent === undefined) return undefined;
  const sinceUs = request.target === 'master' ? state.judgedFromUs : state.phaseSinceUs;
  if (request.notBeforeUs <= nowUs && state.failedChecks === 0) {
    const shared = await sharedRequest(trx, {
      deviceNo: target.deviceNo,
      agentNo: agent.agentNo,
      sinceUs,
      nowUs,
    });
    if (shared !== undefined) return shared;
  }
  const notBeforeUs = request.notBeforeUs > nowUs ? request.notBeforeUs : 0;
  // A master has its Timeout and 5 s, whatever runs before (docs/alerts.md, "Masters").
  const timeouts = request.target === 'master' ? 1 : timeoutsUntilAnswer;
  const deadlineUs = Math.max(nowUs, notBeforeUs) + timeouts * target.timeoutS * secondUs + graceUs;
  const { deviceNo, revision } = target;
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
  role: 'master' | 'device',
  {
    alert,
    state,
    deviceNo,
  }: { readonly alert: DueAlert; readonly state: AlertState; readonly deviceNo: number },
): Promise<CheckAgent | undefined> {
  if (role === 'master') {
    const { location_no: locationNo, agent_no: agentNo } = alert;
    return locationNo === null ? undefined : agentsAt(trx, { locationNo, agentNo });
  }
  const agents = await agentsFor(trx, deviceNo);
  if (agents.length < 2) return agents[0];
  // Also after a check that decided nothing: the policy of one agent may forbid it permanently.
  const requested = await checksRequested(trx, deviceNo, state.phaseSinceUs);
  return agents[requested % agents.length];
}
