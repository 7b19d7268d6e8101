import { verdictOf } from '@vantage/domain';

export interface RetryRules {
  readonly retries: number;
  readonly retryDelayMs: number;
  readonly timeoutMs: number;
  /** No other agent checks the device, so this agent retries without waiting for the controller's run request. */
  readonly retriesLocally: boolean;
  /** Time after RetryDelay that the agent waits for that run request, milliseconds. */
  readonly graceMs: number;
}

/*
 *   state      | good  | error of a regular check               | error of retry k       | 9, 10     | retry requested | delegated
 *   none       | none  | open 1, or exhausted if Retries is 0   | open k+1, or exhausted | none      | open k          | delegated
 *   open       | none  | open (the sequence continues)          | open k+1, or exhausted | none      | open k          | delegated
 *   delegated  | none  | delegated; past its time as none       | open k+1, or exhausted | none      | open k          | delegated
 *   exhausted  | none  | exhausted                              | open k+1, or exhausted | exhausted | open k          | exhausted
 */
/** The state of a device's retries between its answers. */
type RetryState =
  | { readonly kind: 'none' }
  /** Retry `attempt` starts at `dueUs`; `runRequestId` is empty for a retry of the agent itself. */
  | {
      readonly kind: 'open';
      readonly retryId: string;
      readonly attempt: number;
      readonly dueUs: number;
      readonly runRequestId: string;
    }
  /** Another agent retries; regular checks continue here. */
  | { readonly kind: 'delegated'; readonly untilUs: number }
  /** All retries failed. The next retry sequence needs a good answer first. */
  | { readonly kind: 'exhausted' };

/** A device's retry sequence. `last` is the newest retry that began here; by it a late run request is recognised. */
export interface DeviceRetrySequence {
  readonly state: RetryState;
  readonly last: { readonly retryId: string; readonly attempt: number } | undefined;
}

/** A check that ended. */
export interface RetryAnswer {
  /** ResultCode. */
  readonly code: number;
  /** 0 for a regular check, else the k of the retry. */
  readonly attempt: number;
  readonly retryId: string;
  readonly endUs: number;
}

/** The retry sequence of a device without results. */
export const noRetrySequence: DeviceRetrySequence = { state: { kind: 'none' }, last: undefined };

/** The retry sequence after an answer, and the retry sequence id for the record of the answer. */
export function afterAnswer(
  sequence: DeviceRetrySequence,
  answer: RetryAnswer,
  rules: RetryRules,
  newId: () => string,
): { readonly sequence: DeviceRetrySequence; readonly retryId: string } {
  const stays = { sequence, retryId: answer.retryId };
  const enters = (state: RetryState) => ({ sequence: { ...sequence, state }, retryId: answer.retryId });
  switch (verdictOf(answer.code)) {
    case 'good':
      return enters({ kind: 'none' });
    case 'inconclusive':
      return sequence.state.kind === 'exhausted' ? stays : enters({ kind: 'none' });
    case 'bad': {
      if (answer.attempt > 0) return enters(afterFailedRetry(answer, rules));
      if (!mayOpen(sequence.state, answer.endUs)) return stays;
      if (rules.retries === 0) return enters({ kind: 'exhausted' });
      const retryId = newId();
      const state = openState(retryId, 1, answer.endUs, rules);
      return { sequence: { state, last: { retryId, attempt: 0 } }, retryId };
    }
  }
}

/** Whether an answer was the first error after good ones. */
export function isFirstError(before: DeviceRetrySequence, after: DeviceRetrySequence): boolean {
  const isQuiet = ({ state }: DeviceRetrySequence) => state.kind === 'none' || state.kind === 'delegated';
  return isQuiet(before) && !isQuiet(after);
}

/** The retry sequence after a retry began. */
export function afterRetryBegan(
  sequence: DeviceRetrySequence,
  retryId: string,
  attempt: number,
): DeviceRetrySequence {
  return { ...sequence, last: { retryId, attempt } };
}

/**
 * The retry sequence after the controller's run request for retry k. Undefined: the request is late, because that retry
 * already ran.
 */
export function afterRetryRequest(
  sequence: DeviceRetrySequence,
  request: {
    readonly runRequestId: string;
    readonly retryId: string;
    readonly attempt: number;
    readonly atUs: number;
  },
): DeviceRetrySequence | undefined {
  const { last, state } = sequence;
  // Controllers before 0.3.0 request retry 0 where Retries is 0. Treated as a regular check, it would never end.
  const attempt = Math.max(1, request.attempt);
  const concerns = last !== undefined && (last.retryId === request.retryId || state.kind === 'open');
  if (concerns && attempt <= last.attempt) return undefined;
  return {
    state: {
      kind: 'open',
      retryId: request.retryId,
      attempt,
      dueUs: request.atUs,
      runRequestId: request.runRequestId,
    },
    last: { retryId: request.retryId, attempt: attempt - 1 },
  };
}

/** The retry sequence after the controller delegated it to another agent. */
export function afterDelegation(
  sequence: DeviceRetrySequence,
  nowUs: number,
  rules: RetryRules,
): DeviceRetrySequence {
  if (sequence.state.kind === 'exhausted') return sequence;
  const wholeMs = (rules.retries + 1) * (rules.retryDelayMs + rules.timeoutMs) + rules.graceMs;
  return { ...sequence, state: { kind: 'delegated', untilUs: nowUs + wholeMs * 1000 } };
}

/**
 * The retry sequence after a result on disk, derived from its record alone: an error of a regular check has a retry id
 * only if it opened a retry sequence. The same results in the same order lead to the same retry sequence, whatever its
 * state was before.
 */
export function afterRecorded(
  sequence: DeviceRetrySequence,
  answer: RetryAnswer,
  rules: RetryRules,
): DeviceRetrySequence {
  const { attempt, retryId, endUs } = answer;
  if (attempt > 0) {
    return afterAnswer(afterRetryBegan(sequence, retryId, attempt), answer, rules, () => retryId).sequence;
  }
  if (verdictOf(answer.code) !== 'bad') return afterAnswer(sequence, answer, rules, () => retryId).sequence;
  if (retryId === '') return sequence;
  return { state: openState(retryId, 1, endUs, rules), last: { retryId, attempt: 0 } };
}

/**
 * A stored retry sequence as it continues at `nowUs`. An overdue retry runs now, and no retry waits longer than
 * RetryDelay and the grace.
 */
export function resumed(
  sequence: DeviceRetrySequence,
  rules: RetryRules,
  nowUs: number,
): DeviceRetrySequence {
  const { state } = sequence;
  if (state.kind !== 'open') return sequence;
  const latestUs = nowUs + (rules.retryDelayMs + rules.graceMs) * 1000;
  return { ...sequence, state: { ...state, dueUs: Math.min(Math.max(state.dueUs, nowUs), latestUs) } };
}

function mayOpen(state: RetryState, nowUs: number): boolean {
  switch (state.kind) {
    case 'none':
      return true;
    case 'delegated':
      return nowUs >= state.untilUs;
    case 'open':
    case 'exhausted':
      return false;
  }
}

function afterFailedRetry(answer: RetryAnswer, rules: RetryRules): RetryState {
  if (answer.attempt >= rules.retries) return { kind: 'exhausted' };
  return openState(answer.retryId, answer.attempt + 1, answer.endUs, rules);
}

function openState(retryId: string, attempt: number, endUs: number, rules: RetryRules): RetryState {
  const waitMs = rules.retryDelayMs + (rules.retriesLocally ? 0 : rules.graceMs);
  return { kind: 'open', retryId, attempt, dueUs: endUs + waitMs * 1000, runRequestId: '' };
}
