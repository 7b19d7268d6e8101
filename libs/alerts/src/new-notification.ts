import type { Severity } from '@vantage/domain';
import type { MessageKind } from './alert-kind.ts';

/** A fact that a message shows. Times are microseconds since 1970. */
type Fact = string | number | boolean | null | readonly Fact[] | Facts;

/** Facts of a message by their names. */
export type Facts = { readonly [name: string]: Fact };

/** One message to one contact, as alerts decide it and as the delivery stores it. */
export interface NewNotification {
  readonly accountNo: number;
  readonly contactNo: number;
  /** Null: the message belongs to no alert. */
  readonly alertNo: number | null;
  /** Messages of one contact with the same key arrive one after the other: `device:12`, `location:3`, `account:1`. */
  readonly orderKey: string;
  readonly kind: MessageKind;
  readonly severity: Severity;
  /** The step of the schedule that sent it, from 1; undefined or null: it came by no step. */
  readonly step?: number | null;
  /** The facts of the message as REST names them, without secrets. */
  readonly data: Facts;
  /** When it happened, microseconds since 1970. */
  readonly atUs: number;
}
