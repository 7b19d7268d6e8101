import { abortable, type Clock, messageOf } from '@vantage/kernel';
import type { Sealer } from '@vantage/storage/secrets/seal';
import { openContact } from '@vantage/storage/secrets/sealed-contact';
import { z } from 'zod';
import type { ComposedMessage } from '../channels/channel.ts';
import type { Claimed } from './claim.ts';
import { fillLinks } from './link-placeholders.ts';
import type { LinkAction } from './links.ts';
import { replyOf } from './message-reply.ts';
import type { AttemptOutcome } from './notification-state.ts';

export interface AttemptDeps {
  readonly clock: Clock;
  readonly sealer: Sealer;
  /** The signed address of a link in a message. */
  readonly linkOf: (link: {
    readonly action: LinkAction;
    readonly accountNo: number;
    readonly alertId: string;
    readonly alertNo: number;
    readonly contactNo: number;
    readonly firstAttemptUs: number;
  }) => string;
}

/** The time limit of an attempt, at any time scale. The lease is longer by the time to record the answer. */
export const attemptMs = 12_000;

const storedMessage = z.record(z.string(), z.json());

/** A message for one contact. */
type Sendable = Pick<
  Claimed,
  'id' | 'channel' | 'contact' | 'accountNo' | 'contactNo' | 'message' | 'firstAttemptUs'
>;

/** Sends a claimed message once. Resolves with the outcome in any case; `ending` interrupts it. */
export async function attempt(
  claimed: Sendable,
  deps: AttemptDeps,
  ending: AbortSignal,
): Promise<AttemptOutcome> {
  const { clock, sealer, linkOf } = deps;
  const { channel, contact, accountNo, contactNo, firstAttemptUs, id } = claimed;
  return withinTime(clock, ending, async (signal, nowUs) => {
    const message: ComposedMessage = storedMessage.parse(
      fillLinks(storedMessage.parse(claimed.message), id, (action, alert) =>
        linkOf({ action, accountNo, ...alert, contactNo, firstAttemptUs }),
      ),
    );
    const clear = openReceiver(sealer, contact, nowUs);
    if (clear === undefined)
      return { kind: 'again', text: 'the contact cannot be opened with the key of this controller' };
    const replyTo = replyOf(message, contact);
    const to = { name: contact.name, ...clear };
    return channel.send({ id, message, to, nowUs, replyTo }, signal);
  });
}

/**
 * Runs one attempt for at most `attemptMs`. Resolves with its outcome in any case; `ending` interrupts it. `nowUs` is
 * its start.
 */
export async function withinTime(
  clock: Clock,
  ending: AbortSignal,
  send: (signal: AbortSignal, nowUs: number) => Promise<AttemptOutcome>,
): Promise<AttemptOutcome> {
  const limit = new AbortController();
  using _timer = clock.timer(attemptMs, () =>
    limit.abort(new Error('the time limit of the attempt is reached')),
  );
  try {
    const signal = AbortSignal.any([limit.signal, ending]);
    return await abortable(send(signal, clock.nowUs()), signal);
  } catch (error) {
    if (ending.aborted) return { kind: 'interrupted', text: 'the controller stopped' };
    if (limit.signal.aborted)
      return { kind: 'again', text: `no answer within ${attemptMs / 1000} s`, isUncertain: true };
    return { kind: 'again', text: `the message could not be sent (${messageOf(error)})`, isUncertain: true };
  }
}

/** The address and the secrets that sign now; undefined: this controller has another sealing key. */
function openReceiver(sealer: Sealer, contact: Claimed['contact'], nowUs: number) {
  try {
    const clear = openContact(sealer, contact.contact_id, contact.sealed);
    const isRotating = (contact.previous_secret_until_us ?? 0) > nowUs;
    return isRotating ? clear : { ...clear, previousSecret: null };
  } catch {
    return undefined;
  }
}
