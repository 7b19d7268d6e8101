import type { Severity } from '@vantage/domain';
import { isMeantFor, type Schedule } from './schedule.ts';

/** See the second table below. */
export type MessageStanding = 'current' | 'ended' | 'over';

/** A message that a contact refused for good. Contacts are named by their contact_id. */
export interface RefusedMessage {
  readonly schedule: Schedule | null;
  readonly severity: Severity;
  readonly refusedBy: string;
  /** Contacts that exist and want messages of this kind. */
  readonly accepting: ReadonlySet<string>;
  /** Whether its alert is over by now; `current`: it is open, or this is the message of its end. */
  readonly standing: MessageStanding;
  /** Contacts that have this message or a later one that makes up for it, or will get it. */
  readonly having: ReadonlySet<string>;
  /** Contacts that refused it for good too. */
  readonly refusing: ReadonlySet<string>;
}

/**
 * Who gets a refused message. `withEnd`: the last message of the alert follows it. `known`: somebody asked in its place
 * has it already. `over`: see the second table below.
 */
export type ForwardDecision =
  | { readonly kind: 'forward'; readonly contactIds: readonly string[]; readonly withEnd: boolean }
  | { readonly kind: 'known' }
  | { readonly kind: 'over' }
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
 * The alert may have closed meanwhile:
 *
 *   standing   the message, and its alert                     | the message
 *   current    any; open. Or the last one of its alert        | as above
 *   ended      opening or repeat; it ended                    | as above, and the last message of the alert follows it
 *   over       opening or repeat; closed without an end       | goes to nobody: unsent messages of a device that is paused
 *                                                             |   or deleted are withdrawn, too
 *   over       any; closed, and a later one about the same    | goes to nobody: the later one notifies, and Up is wrong
 *              is open                                        |
 *
 * Each refusal takes one contact away, so forwarding ends after as many refusals as the schedule has contacts. The
 * hours of the other steps do not count: the message has waited for its own already.
 */

/** Decides who gets a message that its contact refused for good. Pure. */
export function decideForward(message: RefusedMessage): ForwardDecision {
  const { schedule, severity, refusedBy, accepting, having, refusing, standing } = message;
  if (standing === 'over') return { kind: 'over' };
  const steps = (schedule?.steps ?? []).filter((step) => isMeantFor(step, severity));
  const isLeft = (id: string) => id !== refusedBy && accepting.has(id) && !refusing.has(id);
  const leftOf = (some: typeof steps) => [
    ...new Set(some.flatMap(({ contactIds }) => contactIds).filter(isLeft)),
  ];
  const ofStep = leftOf(steps.filter(({ contactIds }) => contactIds.includes(refusedBy)));
  const left = ofStep.length > 0 ? ofStep : leftOf(steps);
  if (left.length === 0) return { kind: 'nobody' };
  const contactIds = left.filter((id) => !having.has(id));
  return contactIds.length === 0
    ? { kind: 'known' }
    : { kind: 'forward', contactIds, withEnd: standing === 'ended' };
}
