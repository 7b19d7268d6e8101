import type { FieldFault } from '@vantage/kernel';

/** Fields have values that the catalog does not accept. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly faults: readonly FieldFault[];
}

/** The change contradicts the present state. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly message: string;
  readonly faults?: readonly FieldFault[];
}

/** The thing that is to be changed does not exist (any more). */
export interface Missing {
  readonly kind: 'missing';
  readonly what: string;
}

/** Why a writer changed nothing. */
export type Refusal = Invalid | Conflict | Missing;
