import { type FieldFault, faultSentence, type RefusalReason } from '@vantage/kernel';
import { conflict, invalid, missing, type NamedThing, type Problem } from '@vantage/rest-kit/problem';

/** Fields have values that the catalog does not accept. */
export interface Invalid {
  readonly kind: 'invalid';
  readonly faults: readonly FieldFault[];
}

/** The change contradicts the present state. */
export interface Conflict {
  readonly kind: 'conflict';
  readonly reason: RefusalReason;
  readonly message: string;
  readonly faults?: readonly FieldFault[];
}

/** The thing that should change does not exist. */
export interface Missing {
  readonly kind: 'missing';
  readonly what: NamedThing;
}

/** The reason for which a writer changed nothing. */
export type Refusal = Invalid | Conflict | Missing;

/** Returns the outcome of a writer that did its work. Throws a Problem for a refusal. */
export function accepted<Done extends { readonly kind: string }>(outcome: Done | Refusal): Done {
  if (isRefusal(outcome)) throw problemOf(outcome);
  return outcome;
}

function isRefusal(outcome: { readonly kind: string }): outcome is Refusal {
  return ['invalid', 'conflict', 'missing'].includes(outcome.kind);
}

function problemOf(refusal: Refusal): Problem {
  switch (refusal.kind) {
    case 'invalid':
      return invalid(refusal.faults);
    case 'conflict':
      return conflict(refusal.reason, refusal.message, refusal.faults);
    case 'missing':
      return missing(refusal.what);
  }
}

/** The refusal as text for the operator: one line for each fault. */
export function refusalText(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'invalid':
      return refusal.faults.map(faultSentence).join('\n');
    case 'conflict':
      return refusal.message;
    case 'missing':
      return `there is no such ${refusal.what}`;
  }
}

/** The faults of single fields, then the faults that were found later in other fields. */
export function joinFaults(
  early: readonly FieldFault[],
  later: readonly FieldFault[],
): readonly FieldFault[] {
  const named = new Set(early.map(({ field }) => field));
  return [...early, ...later.filter(({ field }) => !named.has(field))];
}
