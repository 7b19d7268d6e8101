import type { OpenRetrySequence } from './fold-state.ts';

/** A connected agent at a Location that checks the device. */
export interface RetryCandidate {
  readonly agentNo: number;
  readonly locationNo: number;
  /** Whether the device is assigned to this agent. Other agents of its Location check it by run request only. */
  readonly isAssigned: boolean;
}

/** A retry that was requested in this retry sequence. */
export interface RequestedRetry {
  readonly attempt: number;
  readonly agentNo: number;
  /** Open: no answer yet, and the deadline is in the future. Ended: answered (also inconclusively) or given up. */
  readonly state: 'open' | 'ended';
}

/** The facts that decide about the next retry. */
export interface RetryQuestion {
  readonly retrySequence: OpenRetrySequence;
  readonly retries: number;
  readonly retryDelayUs: number;
  readonly timeoutUs: number;
  /** An answer may take this much longer than its Timeout. */
  readonly graceUs: number;
  /** Of candidates with the same rank, the first is chosen. */
  readonly candidates: readonly RetryCandidate[];
  readonly requested: readonly RequestedRetry[];
  /**
   * Whether the agent that answered last retries without a request if no other Location is online. False if it waits
   * for a run request, or did not retry.
   */
  readonly agentRetriesLocally: boolean;
  readonly nowUs: number;
}

/** The decision on an open retry sequence, with its reason. */
export type RetryDecision =
  | {
      readonly kind: 'ask';
      readonly attempt: number;
      readonly candidate: RetryCandidate;
      readonly notBeforeUs: number;
      /** Without an answer by this time, the next agent gets the request. */
      readonly deadlineUs: number;
      readonly reason: 'another Location' | 'another agent of the Location' | 'the same agent';
    }
  | {
      readonly kind: 'leave';
      readonly reason: 'already requested' | 'the agent retries locally' | 'no agent can retry';
    };

/**
 * An answer may take this much longer than its Timeout before the next agent gets the request (decisions, section 5).
 */
export const answerGraceUs = 5_000_000;

/**
 * The next retry of an open retry sequence: the lowest k that has not failed, RetryDelay after the last answer. It
 * comes from another Location than the last answer, else from a second agent of that Location, else from the same
 * agent. Agents that already got a request for this k, but gave no answer that counts, come last. If every k has
 * failed, but from only one of two online Locations, the other Location repeats the last k.
 */
export function nextRetry(question: RetryQuestion): RetryDecision {
  const { retrySequence, retries, nowUs } = question;
  const missing = lowestMissing(retrySequence.failedAttempts, retries);
  // Without retries, the check of the other Location is retry 1, so that the agent can distinguish it from a regular
  // one.
  const attempt = missing ?? Math.max(1, retries);
  if (question.requested.some((requested) => requested.attempt === attempt && requested.state === 'open')) {
    return { kind: 'leave', reason: 'already requested' };
  }
  const eligible =
    missing === undefined
      ? question.candidates.filter((candidate) => !retrySequence.failing.includes(candidate.locationNo))
      : question.candidates;
  const best = [...eligible].sort((a, b) =>
    compare(rank(a, attempt, question), rank(b, attempt, question)),
  )[0];
  if (best === undefined) return { kind: 'leave', reason: 'no agent can retry' };
  const hasOtherLocation = question.candidates.some(
    (candidate) => candidate.locationNo !== retrySequence.lastLocationNo,
  );
  if (question.agentRetriesLocally && !hasOtherLocation)
    return { kind: 'leave', reason: 'the agent retries locally' };
  const notBeforeUs = retrySequence.lastEndUs + question.retryDelayUs;
  return {
    kind: 'ask',
    attempt,
    candidate: best,
    notBeforeUs,
    deadlineUs: Math.max(notBeforeUs, nowUs) + question.timeoutUs + question.graceUs,
    reason: reasons[closeness(best, retrySequence)],
  };
}

const reasons = ['another Location', 'another agent of the Location', 'the same agent'] as const;

/** 0: another Location than that of the last answer. 1: another agent of that Location. 2: the same agent. */
function closeness(candidate: RetryCandidate, retrySequence: OpenRetrySequence): 0 | 1 | 2 {
  if (candidate.locationNo !== retrySequence.lastLocationNo) return 0;
  return candidate.agentNo === retrySequence.lastAgentNo ? 2 : 1;
}

function rank(candidate: RetryCandidate, attempt: number, question: RetryQuestion): readonly number[] {
  const { retrySequence, requested } = question;
  const tries = requested.filter(
    (retry) => retry.attempt === attempt && retry.agentNo === candidate.agentNo,
  ).length;
  const hasFailed = retrySequence.failing.includes(candidate.locationNo) ? 1 : 0;
  return [
    tries,
    closeness(candidate, retrySequence),
    hasFailed,
    candidate.locationNo,
    candidate.isAssigned ? 0 : 1,
  ];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const difference = value - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function lowestMissing(attempts: readonly number[], retries: number): number | undefined {
  for (let k = 1; k <= retries; k += 1) if (!attempts.includes(k)) return k;
  return undefined;
}
