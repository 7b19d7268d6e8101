import { newId } from '@vantage/kernel';
import { createZone } from '@vantage/rest-kit/zone';
import type { Db } from '@vantage/storage';
import type { Channels } from '../channels/channel-registry.ts';
import { type AttemptDeps, attempt } from './attempt.ts';
import { channelOf } from './claim.ts';
import { readContact } from './claim-store.ts';
import { recordReached } from './contact-health.ts';
import { shadowAnswer } from './enqueue.ts';

/** The receiver's answer to a test message. */
export interface TestResult {
  readonly isDelivered: boolean;
  /** One line for people, without secrets. */
  readonly answer: string;
}

/**
 * Sends a test message to a contact once, now, beside everything that waits; undefined when the contact does not exist.
 */
export async function sendTest(
  deps: AttemptDeps & { readonly db: Pick<Db, 'kysely'>; readonly channels: Channels },
  contactNo: number,
  signal: AbortSignal,
): Promise<TestResult | undefined> {
  const contact = await readContact(deps.db.kysely, contactNo);
  if (contact === undefined) return undefined;
  if (contact.shadow) return { isDelivered: false, answer: shadowAnswer };
  const channel = channelOf(deps.channels, contact.type);
  if (channel === undefined)
    return { isDelivered: false, answer: `this controller cannot send to contacts of type ${contact.type}` };
  const nowUs = deps.clock.nowUs();
  const timestamp = createZone(contact.timezone).format(nowUs);
  const notice = {
    kind: 'test',
    timestamp,
    composed: timestamp,
    timezone: contact.timezone,
    data: { Contact: contact.name, Message: 'This is a test message. Nothing has happened.' },
    links: null,
    day: null,
  };
  const message = channel.compose([notice], contact.options);
  const claimed = {
    id: newId(),
    channel,
    contact,
    contactNo,
    message,
    firstAttemptUs: nowUs,
    accountNo: contact.account_no,
  };
  const { kind, text } = await attempt(claimed, deps, signal);
  if (kind === 'delivered')
    await deps.db.kysely.transaction().execute((trx) => recordReached(trx, contactNo, deps.clock.nowUs()));
  return { isDelivered: kind === 'delivered', answer: text };
}
