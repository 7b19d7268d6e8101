import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, messageOf } from '@vantage/kernel';
import { type Assignment, type RunRequest, RunRequest_Kind, RunRequestSchema } from '@vantage/proto';
import type { Kysely } from 'kysely';
import type { Tables } from '../db/index.ts';
import type { AssignmentBuilder, SecretLookup } from './assignment.ts';
import { loadAssignedElsewhere } from './plan-store.ts';
import { type KnownAgent, markSent, type OpenRunRequest, openRunRequests } from './store.ts';

/** Orders of one session's agent. */
export interface RunRequestFeed {
  /** Those that this session has not been given yet. A new session gets all that are open again: the agent knows what it did. */
  next(): Promise<RunRequest[]>;
}

const kinds: Record<OpenRunRequest['kind'], RunRequest_Kind> = {
  Retry: RunRequest_Kind.RETRY,
  Now: RunRequest_Kind.NOW,
  RetryDelegated: RunRequest_Kind.RETRY_DELEGATED,
};

/** Makes the feed of one session. An order for a device that another agent of the Location holds brings its settings along. */
export function createRunRequestFeed({
  kysely,
  clock,
  log,
  agent,
  build,
  secretsNow,
}: {
  readonly kysely: Kysely<Tables>;
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
    const device = await loadAssignedElsewhere(kysely, agent, request.device_no);
    if (device === undefined) return undefined;
    try {
      return (await build(device, secrets)).assignment;
    } catch (error) {
      log.error(
        { deviceNo: request.device_no, error: messageOf(error) },
        'a device cannot be lent to an agent',
      );
      return undefined;
    }
  };

  return {
    async next() {
      const open = await openRunRequests(kysely, agent.agentNo, clock.nowUs());
      const fresh = open.filter((request) => !sent.has(request.run_request_id));
      const secrets = secretsNow();
      const runRequests: RunRequest[] = [];
      for (const request of fresh) runRequests.push(toWire(request, await oneOff(request, secrets)));
      sent = new Set(open.map((request) => request.run_request_id));
      if (fresh.length > 0)
        await markSent(
          kysely,
          fresh.map((request) => request.run_request_id),
          clock.nowUs(),
        );
      return runRequests;
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
    ...(assignment && { assignment }),
  });
}
