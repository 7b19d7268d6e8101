import type { Chain } from './state.ts';

/** An agent that could run a retry now: connected, at a Location that watches the device. */
export interface Vantage {
  readonly agentNo: number;
  readonly locationNo: number;
  /** The device is this agent's own; the others of its Location look at it by order only. */
  readonly holds: boolean;
}

/** A retry that was asked for in this chain. */
export interface Asked {
  readonly attempt: number;
  readonly agentNo: number;
  /** Open: no answer yet and not past its deadline. Ended: answered (also by an abstention) or given up. */
  readonly state: 'open' | 'ended';
}

/** What the decision on the next retry rests on. */
export interface RetryQuestion {
  readonly chain: Chain;
  readonly retries: number;
  readonly retryDelayUs: number;
  readonly timeoutUs: number;
  /** How much longer than its Timeout an answer may take. */
  readonly graceUs: number;
  /** Who comes first is asked first where nothing else decides. */
  readonly vantages: readonly Vantage[];
  readonly asked: readonly Asked[];
  /** The agent that answered last goes on by itself when no other Location observes; false where it waits for an order, or failed to. */
  readonly agentGoesOn: boolean;
  readonly nowUs: number;
}

/** What to do about an open chain, and why. */
export type RetryDecision =
  | {
      readonly kind: 'ask';
      readonly attempt: number;
      readonly vantage: Vantage;
      readonly notBeforeUs: number;
      /** Unanswered by then it is the next vantage's turn. */
      readonly deadlineUs: number;
      readonly reason: 'another Location' | 'another agent of the Location' | 'the same agent';
    }
  | {
      readonly kind: 'leave';
      readonly reason: 'already asked' | 'the agent goes on by itself' | 'nobody can look';
    };

/** An answer may take this much longer than its Timeout before the next vantage is asked (decisions, section 5). Microseconds. */
export const answerGraceUs = 5_000_000;

/**
 * The next retry of an open chain: the lowest k that has not failed, RetryDelay after the last answer, from a Location
 * other than the one that just answered where there is one, else from a second agent of it, else from the same agent.
 * Who was asked for this k already and gave no answer that counts comes after who was not. When every k has failed but
 * only in one Location while two observe, the last k is asked from another.
 */
export function nextRetry(question: RetryQuestion): RetryDecision {
  const { chain, retries, nowUs } = question;
  const missing = lowestMissing(chain.failedKs, retries);
  const attempt = missing ?? retries;
  if (question.asked.some((asked) => asked.attempt === attempt && asked.state === 'open')) {
    return { kind: 'leave', reason: 'already asked' };
  }
  const able =
    missing === undefined
      ? question.vantages.filter((vantage) => !chain.failing.includes(vantage.locationNo))
      : question.vantages;
  const best = [...able].sort((a, b) => compare(rank(a, attempt, question), rank(b, attempt, question)))[0];
  if (best === undefined) return { kind: 'leave', reason: 'nobody can look' };
  const elsewhere = question.vantages.some((vantage) => vantage.locationNo !== chain.lastLocationNo);
  if (question.agentGoesOn && !elsewhere) return { kind: 'leave', reason: 'the agent goes on by itself' };
  const notBeforeUs = chain.lastEndUs + question.retryDelayUs;
  return {
    kind: 'ask',
    attempt,
    vantage: best,
    notBeforeUs,
    deadlineUs: Math.max(notBeforeUs, nowUs) + question.timeoutUs + question.graceUs,
    reason: reasons[closeness(best, chain)],
  };
}

const reasons = ['another Location', 'another agent of the Location', 'the same agent'] as const;

/** 0 another Location than the one that just answered, 1 its other agent, 2 the same agent. */
function closeness(vantage: Vantage, chain: Chain): 0 | 1 | 2 {
  if (vantage.locationNo !== chain.lastLocationNo) return 0;
  return vantage.agentNo === chain.lastAgentNo ? 2 : 1;
}

function rank(vantage: Vantage, attempt: number, question: RetryQuestion): readonly number[] {
  const { chain, asked } = question;
  const tries = asked.filter((one) => one.attempt === attempt && one.agentNo === vantage.agentNo).length;
  const saw = chain.failing.includes(vantage.locationNo) ? 1 : 0;
  return [tries, closeness(vantage, chain), saw, vantage.locationNo, vantage.holds ? 0 : 1];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [i, value] of a.entries()) {
    const apart = value - (b[i] ?? 0);
    if (apart !== 0) return apart;
  }
  return 0;
}

function lowestMissing(ks: readonly number[], retries: number): number | undefined {
  for (let k = 1; k <= retries; k += 1) if (!ks.includes(k)) return k;
  return undefined;
}
