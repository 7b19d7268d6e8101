import type { RetrySequence } from './state.ts';

/** An agent that could run a retry now: connected, at a Location that checks the device. */
export interface RetryCandidate {
  readonly agentNo: number;
  readonly locationNo: number;
  /** The device is assigned to this agent. Other agents of its Location check it by run request only. */
  readonly isAssigned: boolean;
}

/** A retry that was requested in this retry sequence. */
export interface RequestedRetry {
  readonly attempt: number;
  readonly agentNo: number;
  /** Open: no answer yet and not past its deadline. Ended: answered (also by an inconclusive result) or given up. */
  readonly state: 'open' | 'ended';
}

/** The facts that decide about the next retry. */
export interface RetryQuestion {
  readonly retrySequence: RetrySequence;
  readonly retries: number;
  readonly retryDelayUs: number;
  readonly timeoutUs: number;
  /** How much longer than its Timeout an answer may take. */
  readonly graceUs: number;
  /** Of candidates of the same rank the first is asked. */
  readonly candidates: readonly RetryCandidate[];
  readonly requested: readonly RequestedRetry[];
  /**
   * The agent that answered last retries by itself when no other Location is online. False when it waits for a run
   * request, or did not retry.
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
      /** Without an answer by then the next agent is asked. */
      readonly deadlineUs: number;
      readonly reason: 'another Location' | 'another agent of the Location' | 'the same agent';
    }
  | {
      readonly kind: 'leave';
      readonly reason: 'already asked' | 'the agent retries by itself' | 'no agent can retry';
    };

/**
 * An answer may take this much longer than its Timeout before the next agent is asked (decisions, section 5).
 * Microseconds.
 */
export const answerGraceUs = 5_000_000;

/**
 * The next retry of an open retry sequence: the lowest k that has not failed, RetryDelay after the last answer, from a
 * Location other than the one that just answered, else from a second agent of that Location, else from the same agent.
 * An agent that was asked for this k already, and gave no answer that counts, comes after agents that were not asked.
 * When every k has failed in one Location only, while two are online, the last k is requested from another Location.
 */
export function nextRetry(question: RetryQuestion): RetryDecision {
  const { retrySequence, retries, nowUs } = question;
  const missing = lowestMissing(retrySequence.failedAttempts, retries);
  // Without retries the check of the other Location is retry 1, which an agent tells from a regular check.
  const attempt = missing ?? Math.max(1, retries);
  if (question.requested.some((requested) => requested.attempt === attempt && requested.state === 'open')) {
    return { kind: 'leave', reason: 'already asked' };
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
    return { kind: 'leave', reason: 'the agent retries by itself' };
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

/** 0 another Location than the one that just answered, 1 its other agent, 2 the same agent. */
function closeness(candidate: RetryCandidate, retrySequence: RetrySequence): 0 | 1 | 2 {
  if (candidate.locationNo !== retrySequence.lastLocationNo) return 0;
  return candidate.agentNo === retrySequence.lastAgentNo ? 2 : 1;
}

function rank(candidate: RetryCandidate, attempt: number, question: RetryQuestion): readonly number[] {
  const { retrySequence, requested } = question;
  const tries = requested.filter(
    (one) => one.attempt === attempt && one.agentNo === candidate.agentNo,
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
    const apart = value - (b[i] ?? 0);
    if (apart !== 0) return apart;
  }
  return 0;
}

function lowestMissing(attempts: readonly number[], retries: number): number | undefined {
  for (let k = 1; k <= retries; k += 1) if (!attempts.includes(k)) return k;
  return undefined;
}
