import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import {
  type Assignment,
  type Assignments,
  type RunRequest,
  RunRequest_Kind,
  RunRequestSchema,
} from '@vantage/proto';
import { dbFailure, type Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';
import { type AssignedDevice, loadAssignedElsewhere, loadUnassigned } from './assigned-device-store.ts';
import type { AssignmentBuilder, SecretLookup } from './assignment.ts';
import type { KnownAgent } from './gateway-store.ts';
import type { PlanFeed } from './plan-feed.ts';

/** An open run request. */
interface OpenRunRequest {
  readonly run_request_id: string;
  readonly kind: 'Retry' | 'Now' | 'RetryDelegated';
  readonly device_no: number;
  /** 0: the result is history only; the Location need not check the device. */
  readonly revision: number;
  readonly retry_id: string | null;
  readonly attempt: number;
  readonly not_before_us: number;
  /** The check is followed by a traceroute. */
  readonly traceroute: boolean;
  /** The device is assigned to the agent now. */
  readonly isAssigned: boolean;
}

/** A check of settings that are not stored. `sealed` is as that of a device. */
interface Trial {
  readonly device_no: number;
  readonly run_request_id: string;
  readonly device_id: string;
  readonly method: string;
  readonly sealed: Uint8Array;
  readonly timeout_s: number;
  /** The request lists what the device offers, instead of a check. */
  readonly is_offer: boolean;
  readonly created_us: number;
}

/** The stored run requests, as the gateway uses them. */
export interface RunRequestReader {
  openRunRequests(db: Kysely<Tables>, agentNo: number, nowUs: number): Promise<readonly OpenRunRequest[]>;
  /** The agents among these that have open run requests which no gateway has sent. */
  agentsWithRunRequests(
    db: Kysely<Tables>,
    agentNos: readonly number[],
    nowUs: number,
  ): Promise<readonly number[]>;
  /** Settings that are not stored, to be checked once by this agent. */
  openTrials(db: Kysely<Tables>, agentNo: number, nowUs: number): Promise<readonly Trial[]>;
  setSent(db: Kysely<Tables>, runRequestIds: readonly string[], nowUs: number): Promise<void>;
}

/** The run requests of one session's agent. */
export interface RunRequestFeed {
  /**
   * The run requests that this session has not sent yet, after the assignments that they need first. A new session
   * sends all open ones again, because the agent knows which ones it ran. After a failure the same ones come again.
   */
  next(): AsyncGenerator<FedMessage>;
}

/** A message of the feed to the agent. */
type FedMessage =
  | { readonly case: 'assignments'; readonly value: Assignments }
  | { readonly case: 'runRequest'; readonly value: RunRequest };

const kinds: Record<OpenRunRequest['kind'], RunRequest_Kind> = {
  Retry: RunRequest_Kind.RETRY,
  Now: RunRequest_Kind.NOW,
  RetryDelegated: RunRequest_Kind.RETRY_DELEGATED,
};

/**
 * Creates the feed of one session. A run request for a device of another agent of the Location contains the device's
 * assignment.
 */
export function createRunRequestFeed({
  kysely,
  runRequests,
  clock,
  log,
  agent,
  plan,
  build,
  secretsNow,
}: {
  readonly kysely: Kysely<Tables>;
  readonly runRequests: RunRequestReader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly agent: KnownAgent;
  /** The plan of the same session. */
  readonly plan: Pick<PlanFeed, 'withNewSecrets'>;
  readonly build: AssignmentBuilder;
  /** A fresh lookup of the account's secrets. */
  readonly secretsNow: () => SecretLookup;
}): RunRequestFeed {
  let sent = new Set<string>();

  const oneOff = async (request: OpenRunRequest, secrets: SecretLookup): Promise<Assignment | undefined> => {
    if (request.isAssigned || request.kind === 'RetryDelegated') return undefined;
    const device =
      request.revision === 0
        ? await loadUnassigned(kysely, agent, request.device_no)
        : await loadAssignedElsewhere(kysely, agent, request.device_no);
    if (device === undefined) return undefined;
    try {
      return (await build(device, secrets)).assignment;
    } catch (error) {
      if (dbFailure(error) === 'retry') throw error;
      log.error(
        { deviceNo: request.device_no, error: messageOf(error) },
        'a device cannot be sent to another agent for one check',
      );
      return undefined;
    }
  };

  const trialRequest = async (trial: Trial, secrets: SecretLookup): Promise<RunRequest | undefined> => {
    try {
      const { assignment } = await build(deviceOf(trial), secrets);
      if (assignment.spec !== undefined) assignment.spec.offer = trial.is_offer;
      return toWire({ ...trial, ...asked }, assignment);
    } catch (error) {
      if (dbFailure(error) === 'retry') throw error;
      log.error({ error: messageOf(error) }, 'settings cannot be sent to an agent for a trial');
      return undefined;
    }
  };

  return {
    async *next() {
      const open = await runRequests.openRunRequests(kysely, agent.agentNo, clock.nowUs());
      const fresh = open.filter((request) => !sent.has(request.run_request_id));
      const assigned = fresh.filter(({ isAssigned }) => isAssigned).map((request) => request.device_no);
      for await (const value of plan.withNewSecrets(assigned)) yield { case: 'assignments', value };
      const secrets = secretsNow();
      const requests: RunRequest[] = [];
      for (const request of fresh) requests.push(toWire(request, await oneOff(request, secrets)));
      const trials = await runRequests.openTrials(kysely, agent.agentNo, clock.nowUs());
      for (const trial of trials.filter(({ run_request_id }) => !sent.has(run_request_id)))
        requests.push(...[await trialRequest(trial, secrets)].filter((message) => message !== undefined));
      if (fresh.length > 0)
        await runRequests.setSent(
          kysely,
          fresh.map((request) => request.run_request_id),
          clock.nowUs(),
        );
      sent = new Set([...open, ...trials].map((request) => request.run_request_id));
      for (const value of requests) yield { case: 'runRequest', value };
    },
  };
}

/** A trial is one regular check at once, and changes no status. */
const asked = {
  kind: 'Now' as const,
  revision: 0,
  retry_id: null,
  attempt: 0,
  not_before_us: 0,
  traceroute: false,
  isAssigned: false,
};

function deviceOf(trial: Trial): AssignedDevice {
  return {
    ...trial,
    revision: 0,
    rotation_index: 0,
    rotation_size: 1,
    retries_locally: false,
    run_immediately: false,
    from_us: 0,
    until_us: 0,
    bytes: trial.sealed.length,
    changed_us: trial.created_us,
    frequency_min: 60,
    frequency_s: null,
    retries: 0,
    retry_delay_s: 1,
  };
}

function toWire(request: OpenRunRequest, assignment: Assignment | undefined): RunRequest {
  return create(RunRequestSchema, {
    runRequestId: request.run_request_id,
    kind: kinds[request.kind],
    deviceNo: request.device_no,
    revision: request.revision,
    notBeforeUs: BigInt(request.not_before_us),
    retryId: request.retry_id ?? '',
    attempt: request.attempt,
    traceroute: request.traceroute,
    ...(assignment && { assignment }),
  });
}
