import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Assignment, type RunRequest, RunRequest_Kind, RunRequestSchema } from '@vantage/proto';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { AssignmentBuilder, SecretLookup } from './assignment.ts';
import { loadAssignedElsewhere, loadUnassigned } from './plan-store.ts';
import type { KnownAgent } from './store.ts';

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

/** The stored run requests, as the gateway uses them. */
export interface RunRequests {
  openRunRequests(db: Kysely<Tables>, agentNo: number, nowUs: number): Promise<readonly OpenRunRequest[]>;
  /** Which of these agents have open run requests that no gateway sent yet? */
  agentsWithRunRequests(
    db: Kysely<Tables>,
    agentNos: readonly number[],
    nowUs: number,
  ): Promise<readonly number[]>;
  markSent(db: Kysely<Tables>, runRequestIds: readonly string[], nowUs: number): Promise<void>;
}

/** The run requests of one session's agent. */
export interface RunRequestFeed {
  /** The run requests that this session has not sent yet. A new session sends all open ones again, because the agent knows which ones it ran. */
  next(): Promise<RunRequest[]>;
}

const kinds: Record<OpenRunRequest['kind'], RunRequest_Kind> = {
  Retry: RunRequest_Kind.RETRY,
  Now: RunRequest_Kind.NOW,
  RetryDelegated: RunRequest_Kind.RETRY_DELEGATED,
};

/** Makes the feed of one session. A run request for a device of another agent of the Location contains the device's assignment. */
export function createRunRequestFeed({
  kysely,
  runRequests,
  clock,
  log,
  agent,
  build,
  secretsNow,
}: {
  readonly kysely: Kysely<Tables>;
  readonly runRequests: RunRequests;
  readonly clock: Clock;
  readonly log: Logger;
  readonly agent: KnownAgent;
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
      log.error(
        { deviceNo: request.device_no, error: messageOf(error) },
        'a device cannot be sent to another agent for one check',
      );
      return undefined;
    }
  };

  return {
    async next() {
      const open = await runRequests.openRunRequests(kysely, agent.agentNo, clock.nowUs());
      const fresh = open.filter((request) => !sent.has(request.run_request_id));
      const secrets = secretsNow();
      const messages: RunRequest[] = [];
      for (const request of fresh) messages.push(toWire(request, await oneOff(request, secrets)));
      sent = new Set(open.map((request) => request.run_request_id));
      if (fresh.length > 0)
        await runRequests.markSent(
          kysely,
          fresh.map((request) => request.run_request_id),
          clock.nowUs(),
        );
      return messages;
    },
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
