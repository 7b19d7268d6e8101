import { create } from '@bufbuild/protobuf';
import { specOf } from '@vantage/probes';
import { type Anchor, type Assignment, AssignmentSchema } from '@vantage/proto';
import type { CheckRunner } from '../schedule/check-runner.ts';
import type { Stalls } from '../schedule/stalls.ts';
import type { AnchorCheck } from './anchor-state.ts';
import { reachability } from './reachability.ts';

/** Enough for three packets, and for the first retransmission of a SYN after 1 s. */
const timeoutMs = 2000;

/**
 * Creates the check of an anchor: PING, or a TCP connection if the anchor has a port. It runs like the check of a
 * device, so the agent's policy applies. A refused connection counts as silent, because a router may refuse in the name
 * of the target.
 */
export function createAnchorCheck(deps: {
  readonly check: CheckRunner;
  readonly stalls: Pick<Stalls, 'since'>;
  readonly monoMs: () => number;
}): (anchor: Anchor, signal: AbortSignal) => Promise<Omit<AnchorCheck, 'startMs'>> {
  return async (anchor, signal) => {
    const startMs = deps.monoMs();
    const measurement = await deps.check(assignmentOf(anchor), signal);
    const reached = reachability(measurement);
    // A process that stood still gave the anchor no time to answer.
    if (reached === 'silent' && deps.stalls.since(startMs))
      return { answer: 'unchecked', text: 'this agent stood still during the check' };
    const answer = reached === 'nothing' ? 'unchecked' : reached;
    return { answer, text: measurement.text };
  };
}

function assignmentOf({ target, port }: Anchor): Assignment {
  const method = port === 0 ? 'PING' : 'TCP';
  return create(AssignmentSchema, { spec: specOf({ method, url: target, timeoutMs, options: {} }) });
}
