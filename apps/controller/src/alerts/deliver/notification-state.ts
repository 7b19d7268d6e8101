import { hourUs, minuteUs, secondUs } from '@vantage/domain';
import { realTime, type TimeScale } from '../../config/time-scale.ts';

/** The states of a notification. */
export const notificationStates = ['Pending', 'Delivered', 'Failed', 'Withdrawn', 'Shadow'] as const;

export type NotificationState = (typeof notificationStates)[number];

/** The answer of one attempt. `text` is one line for people, without secrets. */
export type AttemptOutcome =
  | {
      readonly kind: 'delivered';
      readonly text: string;
      /** The receiver's own id of the message, if its answer has one. */
      readonly messageId?: string;
    }
  /** Try again. `retryAfterMs` is the wait that the receiver requested. */
  | {
      readonly kind: 'again';
      readonly text: string;
      readonly retryAfterMs?: number;
      /** The receiver may have accepted the message: its answer did not arrive. */
      readonly isUncertain?: boolean;
    }
  /**
   * Refused for good, if it still is after `refusalUs`: mail servers also answer like this for a short time, because of
   * a policy.
   */
  | { readonly kind: 'refused'; readonly text: string }
  /** The receiver wants no further message (HTTP 410, an address that does not exist). */
  | { readonly kind: 'gone'; readonly text: string }
  /** The controller ended the attempt, because it stops. */
  | { readonly kind: 'interrupted'; readonly text: string };

/** The subject of an attempt. Times are microseconds since 1970. */
export interface EndedAttempt {
  /** Attempts until now, this one included. */
  readonly attempts: number;
  readonly firstAttemptUs: number;
  readonly nowUs: number;
}

/** The state of a notification after an attempt. */
export type AfterAttempt =
  | { readonly state: 'Delivered' }
  | { readonly state: 'Pending'; readonly dueUs: number }
  | { readonly state: 'Failed'; readonly reason: string };

/** Waits before the second and each further attempt; the last one repeats. */
export interface RetryTimes {
  readonly waitsUs: readonly number[];
  /** After the first attempt no attempt begins later than this. */
  readonly giveUpUs: number;
  /** A receiver that refuses for good is tried for this time after the first attempt. */
  readonly refusalUs: number;
  /** The maximum wait that a receiver can request. */
  readonly maxWaitUs: number;
}

/**
 * The waits of the rules, in the time scale of a test. While a clock may be wrong (`mayGiveUp` false) nothing is given
 * up for its age.
 */
export function retryTimes(timeScale: TimeScale = realTime, mayGiveUp = true): RetryTimes {
  const waitsUs = [5 * secondUs, 30 * secondUs, 2 * minuteUs, 10 * minuteUs, 30 * minuteUs, hourUs];
  return {
    waitsUs: waitsUs.map((wait) => timeScale(wait)),
    giveUpUs: mayGiveUp ? timeScale(72 * hourUs) : Number.POSITIVE_INFINITY,
    refusalUs: mayGiveUp ? timeScale(30 * minuteUs) : Number.POSITIVE_INFINITY,
    maxWaitUs: timeScale(hourUs),
  };
}

/**
 * The state changes of one notification. Delivered, Failed and Withdrawn are final.
 *
 * | state | event | next state |
 * |---|---|---|
 * | Pending, no attempt | withdrawn by alerts | Withdrawn |
 * | Pending, no lease | a worker claims it | leased, attempts + 1; id and message are stored before the message is sent |
 * | leased | the lease ends without an answer | Pending; the next claim sends the same message again |
 * | leased | delivered | Delivered |
 * | leased | gone | Failed |
 * | leased | again, and the next attempt comes before `giveUpUs` | Pending, due after the wait or the receiver's Retry-After, if that is longer |
 * | leased | again, and it comes later | Failed |
 * | leased | refused, less than `refusalUs` after the first attempt | Pending, due after the wait, at `refusalUs` at the latest |
 * | leased | refused, later | Failed |
 * | leased | interrupted | Pending, due at once |
 * | leased by another token, or final | any answer | nothing changes |
 *
 * This function decides the rows that end with an answer. Pure.
 */
export function afterAttempt(
  attempt: EndedAttempt,
  outcome: AttemptOutcome,
  times: RetryTimes,
): AfterAttempt {
  const { attempts, firstAttemptUs, nowUs } = attempt;
  switch (outcome.kind) {
    case 'delivered':
      return { state: 'Delivered' };
    case 'gone':
      return { state: 'Failed', reason: outcome.text };
    case 'interrupted':
      return { state: 'Pending', dueUs: nowUs };
    case 'refused': {
      const endUs = firstAttemptUs + times.refusalUs;
      if (nowUs >= endUs) return { state: 'Failed', reason: outcome.text };
      return { state: 'Pending', dueUs: Math.round(Math.min(nowUs + waitOf(attempts, times), endUs)) };
    }
    case 'again': {
      const wait = waitOf(attempts, times);
      const requested = Math.min(times.maxWaitUs, Math.max(0, (outcome.retryAfterMs ?? 0) * 1000));
      const dueUs = Math.round(nowUs + Math.max(wait, requested));
      if (dueUs - firstAttemptUs <= times.giveUpUs) return { state: 'Pending', dueUs };
      return { state: 'Failed', reason: `given up after ${attempts} attempts: ${outcome.text}` };
    }
  }
}

function waitOf(attempts: number, { waitsUs, maxWaitUs }: RetryTimes): number {
  return waitsUs[Math.min(attempts, waitsUs.length) - 1] ?? maxWaitUs;
}
