import type { Severity } from '@vantage/domain';
import { isMeantFor, type Schedule } from './schedule.ts';

/** A message that a contact refused for good. Contacts are named by their contact_id. */
export interface RefusedMessage {
  readonly schedule: Schedule | null;
  readonly severity: Severity;
  readonly refusedBy: string;
  /** Contacts that exist and want messages of this kind. */
  readonly accepting: ReadonlySet<string>;
  /** Contacts that have this message, or will get it. */
  readonly having: ReadonlySet<string>;
  /** Contacts that refused it for good too. */
  readonly refusing: ReadonlySet<string>;
}

/** Who gets a refused message. `known`: somebody asked in its place has it already. */
export type ForwardDecision =
  | { readonly kind: 'forward'; readonly contactIds: readonly string[] }
  | { readonly kind: 'known' }
  | { readonly kind: 'nobody' };

/*
 * Who learns of a message that a contact refused for good? The first row with a contact that is left counts; a contact
 * is left when it exists, wants the kind and did not refuse the message itself.
 *
 *   contacts                                    | of them, those without the message
 *   the others of the refusing contact's steps  | get it; none: somebody of the step knows already
 *   those of the other steps                    | get it; none: somebody of the schedule knows already
 *   none                                        | nobody: the alert names it as undeliverable
 *
 * Each refusal takes one contact away, so forwarding ends after as many refusals as the schedule has contacts. The
 * hours of the other steps do not count: the message has waited for its own already.
 */

/** Decides who gets a message that its contact refused for good. Pure. */
export function decideForward(message: RefusedMessage): ForwardDecision {
  const { schedule, severity, refusedBy, accepting, having, refusing } = message;
  const steps = (schedule?.steps ?? []).filter((step) => isMeantFor(step, severity));
  const isLeft = (id: string) => id !== refusedBy && accepting.has(id) && !refusing.has(id);
  const leftOf = (some: typeof steps) => [
    ...new Set(some.flatMap(({ contactIds }) => contactIds).filter(isLeft)),
  ];
  const ofStep = leftOf(steps.filter(({ contactIds }) => contactIds.includes(refusedBy)));
  const left = ofStep.length > 0 ? ofStep : leftOf(steps);
  if (left.length === 0) return { kind: 'nobody' };
  const contactIds = left.filter((id) => !having.has(id));
  return contactIds.length === 0 ? { kind: 'known' } : { kind: 'forward', contactIds };
}
