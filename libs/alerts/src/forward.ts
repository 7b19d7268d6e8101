import type { Severity } from '@vantage/domain';
import { isMeantFor, type Schedule } from './schedule.ts';

/** See the second table below. */
export type MessageStanding = 'current' | 'ended' | 'over';

/** A message that a contact rejected permanently. Contacts are contact_ids. */
export interface RefusedMessage {
  readonly schedule: Schedule | null;
  readonly severity: Severity;
  readonly refusedBy: string;
  /** Contacts that exist and accept messages of this kind. */
  readonly accepting: ReadonlySet<string>;
  /** `current`: the alert is open, or this is the message about its end. */
  readonly standing: MessageStanding;
  /** Contacts that have or will receive this message, or a later one that replaces it. */
  readonly having: ReadonlySet<string>;
  /** Other contacts that rejected it permanently. */
  readonly refusing: ReadonlySet<string>;
}

/**
 * The contacts for a rejected message. `withEnd`: the last message of the alert follows it. `known`: a substitute
 * already has the message. `over`: see the second table below. `undeliverable`: no contact is left.
 */
export type ForwardDecision =
  | { readonly kind: 'forward'; readonly contactIds: readonly string[]; readonly withEnd: boolean }
  | { readonly kind: 'known' }
  | { readonly kind: 'over' }
  | { readonly kind: 'undeliverable' };

/*
 * A rejected message goes to other contacts. The first row with a remaining contact applies. A contact remains if it
 * exists, accepts the kind and did not reject the message itself.
 *
 *   remaining contacts                            | decision
 *   in the steps of the rejecting contact         | those without the message receive it; none: `known`
 *   in the other steps                            | those without the message receive it; none: `known`
 *   none                                          | `undeliverable`: the alert reports the message as undeliverable
 *
 * The alert may have closed meanwhile:
 *
 *   standing   the message, and its alert                     | decision
 *   current    any, and the alert is open; or the last one    | as above
 *   ended      opening or repeat; it ended                    | as above, and the last message of the alert follows it
 *   over       opening or repeat; closed without an end       | dropped, as unsent messages of a paused or deleted device
 *                                                             |   are withdrawn
 *   over       any; closed, and a later alert about the same  | dropped: the later alert notifies, and Up would be wrong
 *              subject is open                                |
 *
 * Each rejection removes a contact, so forwarding ends after as many rejections as the schedule has contacts. The hours
 * of the other steps do not count, because the message has already waited for the hours of its own step.
 */

/** Decides which contacts receive a message that its contact rejected permanently. Pure. */
export function decideForward(message: RefusedMessage): ForwardDecision {
  const { schedule, severity, refusedBy, accepting, having, refusing, standing } = message;
  if (standing === 'over') return { kind: 'over' };
  const steps = (schedule?.steps ?? []).filter((step) => isMeantFor(step, severity));
  const remains = (id: string) => id !== refusedBy && accepting.has(id) && !refusing.has(id);
  const remainingOf = (some: typeof steps) => [
    ...new Set(some.flatMap(({ contactIds }) => contactIds).filter(remains)),
  ];
  const ofStep = remainingOf(steps.filter(({ contactIds }) => contactIds.includes(refusedBy)));
  const remaining = ofStep.length > 0 ? ofStep : remainingOf(steps);
  if (remaining.length === 0) return { kind: 'undeliverable' };
  const contactIds = remaining.filter((id) => !having.has(id));
  return contactIds.length === 0
    ? { kind: 'known' }
    : { kind: 'forward', contactIds, withEnd: standing === 'ended' };
}
