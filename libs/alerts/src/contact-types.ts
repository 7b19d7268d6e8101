import { emailFault } from './email-address.ts';
import { fillWebhook, showWebhook, webhookFault } from './webhook-address.ts';

/** What the operator permits addresses to be. */
export interface AddressPolicy {
  /** Webhooks may go to private addresses, and by plain HTTP (`VANTAGE_ALLOW_PRIVATE_WEBHOOKS`). */
  readonly allowPrivate: boolean;
}

/** What one type of contact has of its own. Pure. */
export interface ContactTypeRules {
  /** What is wrong with an address, as the rest of a sentence that begins with the field's name; null: nothing. */
  readonly addressFault: (address: string, policy: AddressPolicy) => string | null;
  /** The address as the API shows it: credentials are `***`. */
  readonly show: (address: string) => string;
  /**
   * The address with the credentials of `kept` in the place of their masks. undefined: a mask stands where nothing is kept, or where the
   * address is another one now.
   */
  readonly fill: (sent: string, kept: string | undefined) => string | undefined;
  /** Its messages are signed with a secret of the contact. */
  readonly hasSecret: boolean;
  /** It gets one message for each event. The messages of other types are grouped. */
  readonly isPerEvent: boolean;
}

const email: ContactTypeRules = {
  addressFault: emailFault,
  show: (address) => address,
  fill: (sent) => sent,
  hasSecret: false,
  isPerEvent: false,
};

const webhook: ContactTypeRules = {
  addressFault: webhookFault,
  show: showWebhook,
  fill: fillWebhook,
  hasSecret: true,
  isPerEvent: true,
};

/** THE registry of types of contacts. A new type is a line here and a channel that delivers to it. */
export const contactTypes = { email, webhook } as const satisfies Readonly<Record<string, ContactTypeRules>>;

/** A type of contact. */
export type ContactType = keyof typeof contactTypes;

/** The names of all types. */
export const contactTypeNames = ['email', 'webhook'] as const satisfies readonly ContactType[];

/** Reads a type from a text. */
export function contactTypeOf(text: string): ContactType | undefined {
  return contactTypeNames.find((name) => name === text);
}
