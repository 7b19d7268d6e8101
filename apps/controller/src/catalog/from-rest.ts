import { conflict, invalid, missing, type Problem } from '../rest/http/problem.ts';
import type { Session } from '../rest/http/session.ts';
import type { Actor } from './change.ts';
import type { Refusal } from './refusal.ts';

/** The actor of a REST request. */
export function actorOf({ keyNo, address }: Session): Actor {
  return { kind: 'api-key', keyNo, address };
}

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
      return conflict(refusal.message, refusal.faults);
    case 'missing':
      return missing(refusal.what);
  }
}
