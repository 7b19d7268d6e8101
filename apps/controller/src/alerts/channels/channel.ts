import type { DeviceStatus, Json } from '@vantage/domain';
import type { ClearContact } from '@vantage/storage/secrets/sealed-contact';
import type { AttemptOutcome } from '../deliver/notification-state.ts';

/** The content of one message. */
export interface Notice {
  /** An `AlertKind`, or `test` for a message that a user requested. */
  readonly kind: string;
  /** When it happened, as the account's zone shows it. */
  readonly timestamp: string;
  /** When the message is composed, in the same form: durations in the text end at this time. */
  readonly composed: string;
  /** The account's zone, an IANA name. */
  readonly timezone: string;
  /** The facts as REST shows them (`showFacts`), without secrets. */
  readonly data: { readonly [name: string]: Json };
  /** The links that acknowledge or snooze the alert; null: nothing to acknowledge. */
  readonly links: {
    readonly acknowledge: string;
    readonly snooze: string;
    /** The page that shows the alert as it is now. */
    readonly details?: string;
    /** Acknowledges all alerts of a message of several; absent where it names one. */
    readonly acknowledgeAll?: string;
  } | null;
  /**
   * The device's last day in equal parts, oldest first; null: the message is about no device, or the channel shows
   * none.
   */
  readonly day: readonly DayPart[] | null;
}

/** The status of a device during most of a part of its last day. */
export type DayPart = DeviceStatus;

/** A message that a channel composed. It is stored before the first attempt; every attempt sends the same. */
export type ComposedMessage = { readonly [name: string]: Json };

/** One attempt. */
export interface Sending {
  /** The same for all attempts; the receiver deduplicates by it. */
  readonly id: string;
  readonly message: ComposedMessage;
  readonly to: Receiver;
  /** Microseconds since 1970. */
  readonly nowUs: number;
  /** The receiver's own id of the message that this one replies to; null: it replies to none. */
  readonly replyTo?: string | null;
}

/** The contact, in clear. */
interface Receiver extends ClearContact {
  readonly name: string;
}

/** The delivery of messages to one type of contact. */
export interface Channel {
  /** The message shows the last day of its devices. */
  readonly showsDay: boolean;
  /** The receiver's answer names the message, and a later message can refer to it. */
  readonly canReply: boolean;
  /**
   * Creates the message of one notice, or of several where the type of contact groups them. `options` is the
   * contact's column, written by any version. Pure.
   */
  compose(notices: readonly Notice[], options: unknown): ComposedMessage;
  /**
   * Sends the message once. Resolves with the answer, also when the receiver cannot be reached; a rejection counts as
   * `again`. The text of the answer never contains the address's credentials or a secret.
   */
  send(sending: Sending, signal: AbortSignal): Promise<AttemptOutcome>;
}
