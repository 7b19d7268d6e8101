import { type AttemptOutcome, afterAttempt, type RetryTimes } from '../notification-state.ts';

/** The position of a hook in the events of its account. Times are microseconds since 1970. */
export interface HookPosition {
  /** The last event that needs no further attempt. */
  readonly afterNo: number;
  /** Attempts of the event after it, and when the first one began. */
  readonly attempts: number;
  readonly firstAttemptUs: number | null;
  readonly failingSinceUs: number | null;
}

/** The events of one round, all sent at once, in their order, each with its outcome. */
interface HookRound {
  readonly results: readonly { readonly no: number; readonly outcome: AttemptOutcome }[];
  /** Up to this number there is no event for the hook besides those in `results`. */
  readonly readToNo: number;
  readonly beganUs: number;
  readonly nowUs: number;
}

/** The position after a round. */
interface AfterRound extends HookPosition {
  readonly dueUs: number;
  readonly isDelivered: boolean;
  /** Whether the event at the head was given up. */
  readonly isGivenUp: boolean;
  /** The answer to the last attempt that counts; undefined: there was none. */
  readonly answer: string | undefined;
}

/**
 * The state changes of a hook. Events are delivered in their order, several at once while the receiver accepts them. An
 * event that was accepted after a refused one is therefore sent again.
 *
 * | results | next position | due |
 * |---|---|---|
 * | none | `readToNo` | at once |
 * | all accepted | `readToNo` | at once |
 * | the first k accepted, the next one not | the refused event is at the head, with one attempt (k = 0: one more) | after its wait |
 * | the head was refused for good, or is older than `giveUpUs` | after the head | after the first wait |
 * | interrupted | the interrupted one is at the head, its attempts as before | at once |
 *
 * Pure.
 */
export function afterRound(position: HookPosition, round: HookRound, times: RetryTimes): AfterRound {
  const { results, readToNo, beganUs, nowUs } = round;
  const failed = results.findIndex(({ outcome }) => outcome.kind !== 'delivered');
  const head = results[failed];
  const accepted = head === undefined ? results : results.slice(0, failed);
  const isDelivered = accepted.length > 0;
  const answer = (head ?? accepted.at(-1))?.outcome.text;
  if (head === undefined)
    return {
      afterNo: readToNo,
      attempts: 0,
      firstAttemptUs: null,
      dueUs: nowUs,
      isDelivered,
      failingSinceUs: isDelivered ? null : position.failingSinceUs,
      isGivenUp: false,
      answer,
    };
  const before = isDelivered
    ? {
        afterNo: accepted.at(-1)?.no ?? position.afterNo,
        attempts: 0,
        firstAttemptUs: null,
        failingSinceUs: null,
      }
    : position;
  if (head.outcome.kind === 'interrupted')
    return { ...before, dueUs: nowUs, isDelivered, isGivenUp: false, answer: undefined };
  const attempts = before.attempts + 1;
  const firstAttemptUs = before.firstAttemptUs ?? beganUs;
  const failingSinceUs = before.failingSinceUs ?? beganUs;
  const next = afterAttempt({ attempts, firstAttemptUs, nowUs }, head.outcome, times);
  if (next.state === 'Pending')
    return {
      afterNo: before.afterNo,
      attempts,
      firstAttemptUs,
      failingSinceUs,
      dueUs: next.dueUs,
      isDelivered,
      isGivenUp: false,
      answer,
    };
  return {
    afterNo: head.no,
    attempts: 0,
    firstAttemptUs: null,
    failingSinceUs,
    dueUs: Math.round(nowUs + (times.waitsUs[0] ?? 0)),
    isDelivered,
    isGivenUp: true,
    answer,
  };
}
