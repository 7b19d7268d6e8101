import type { Severity } from '@vantage/domain';
import type { MessageKind } from './alert-kind.ts';

/** Times are microseconds since 1970. */
type MessageFact = string | number | boolean | null | readonly MessageFact[] | MessageFacts;

/** The facts of a message, by name. */
export type MessageFacts = { readonly [name: string]: MessageFact };

/** One message to one contact, from the decision of an alert to its delivery. */
export interface NewNotification {
  readonly accountNo: number;
  readonly contactNo: number;
  /** Null: the message belongs to no alert. */
  readonly alertNo: number | null;
  /** Messages to one contact with the same key arrive in order: `device:12`, `location:3`, `account:1`. */
  readonly orderKey: string;
  readonly kind: MessageKind;
  readonly severity: Severity;
  /** The step of the schedule that caused it, from 1; undefined or null: no step did. */
  readonly step?: number | null;
  /** The facts of the message as REST names them, without secrets. */
  readonly data: MessageFacts;
  /** The time of its cause, microseconds since 1970. */
  readonly atUs: number;
}
