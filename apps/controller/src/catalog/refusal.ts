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

/** The faults that fields have by themselves, then those that were found later in other fields. */
export function joinFaults(own: readonly FieldFault[], later: readonly FieldFault[]): readonly FieldFault[] {
  const named = new Set(own.map(({ field }) => field));
  return [...own, ...later.filter(({ field }) => !named.has(field))];
}

/** The refusal of one more of a kind of which an account has as many as it may have. */
export function limitReached(kinds: string, most: number): Invalid {
  const message = `The account has ${most} ${kinds}, which is the limit. Delete one that nobody needs`;
  return { kind: 'invalid', faults: [{ field: '', message }] };
}

/** Why a writer refused, for the operator: one line for each fault. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return refusal.faults.map(({ field, message }) => `${field} ${message}`.trim()).join('\n');
    case 'conflict':
      return refusal.message;
    case 'missing':
      return `there is no such ${refusal.what}`;
  }
}
