import {
  accessToken,
  apiKey,
  applicationToken,
  bearerToken,
  botToken,
  emailFault,
  fillWebAddress,
  headerValue,
  receiverOf,
  routingKey,
  type SecretRule,
  showWebAddress,
  signing,
  type WebAddressKind,
  webAddressFault,
} from './contact-receiver.ts';
import type { BodyType } from './message-template.ts';

/** The addresses that the operator permits. */
export interface AddressPolicy {
  /** Messages may go to private addresses, and by plain HTTP (`VANTAGE_ALLOW_PRIVATE_WEBHOOKS`). */
  readonly allowPrivate: boolean;
}

/** The properties of one type of contact. Pure. */
export interface ContactTypeRules {
  /** An address of it, for people. */
  readonly example: string;
  /** The fault of an address, as the rest of a sentence that begins with the field's name; null: none. */
  readonly addressFault: (address: string, policy: AddressPolicy) => string | null;
  /** The address as the API shows it: credentials are `***`. */
  readonly show: (address: string) => string;
  /**
   * The address with the credentials of `kept` in the place of their masks. undefined: a mask stands where nothing is
   * kept, or where the address is another one now.
   */
  readonly fill: (sent: string, kept: string | undefined) => string | undefined;
  /** Who gets the secret, by the address: a secret that was given for one receiver is never sent to another. */
  readonly receiver: (address: string) => string;
  /** The API shows all of it: its address has no credential and it has no secret. */
  readonly hidesNothing: boolean;
  /** The kind of its `Secret`; null: it has none. */
  readonly secret: SecretRule | null;
  /** The Options that it knows; null: none. */
  readonly options: ContactOptionRule | null;
  /** It keeps an incident for each alert, and gets acknowledgements too. */
  readonly keepsIncidents: boolean;
  /** Whether it shows an alert until it gets the end, and so must hear of one that closed without an end. */
  readonly waitsForEnd: boolean;
  /** People talk to each other there, so it hears who acknowledged an alert. */
  readonly isChat: boolean;
  /** It gets one message for each event. The messages of other types are grouped. */
  readonly isPerEvent: boolean;
}

/** The Options of a contact. Each type knows some of them, see `ContactOptionRule`. None is a secret. */
export interface ContactOptions {
  /** The phone number that an SMS goes to. */
  readonly To?: string | undefined;
  /** The template of the body. */
  readonly Body?: string | undefined;
  readonly ContentType?: BodyType | undefined;
  /** The header that carries the contact's Secret; without it Authorization, where the Body has no {{Secret}}. */
  readonly SecretHeader?: string | undefined;
}

/** The names of all options. */
export const contactOptionNames = [
  'To',
  'Body',
  'ContentType',
  'SecretHeader',
] as const satisfies readonly (keyof ContactOptions)[];

/** A name of an option. */
export type OptionName = keyof ContactOptions;

/** The Options that one type of contact knows. */
export interface ContactOptionRule {
  readonly known: readonly OptionName[];
  readonly required: readonly OptionName[];
}

/** Options of an SMS gateway. */
export const smsOptions: ContactOptionRule = {
  known: ['To', 'Body', 'ContentType', 'SecretHeader'],
  required: ['To'],
};

/** Options of a webhook with a body of its own. */
export const templateOptions: ContactOptionRule = {
  known: ['Body', 'ContentType', 'SecretHeader'],
  required: ['Body'],
};

const email: ContactTypeRules = {
  example: 'noc@example.org',
  addressFault: emailFault,
  show: (address) => address,
  fill: (sent) => sent,
  receiver: (address) => address,
  hidesNothing: true,
  secret: null,
  options: null,
  keepsIncidents: false,
  waitsForEnd: false,
  isChat: false,
  isPerEvent: false,
};

const telegram: ContactTypeRules = {
  example: '-1001234567890',
  addressFault: (text) =>
    /^(?:-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31})$/.test(text)
      ? null
      : 'must be the id of a chat or the @name of a public channel, for example -1001234567890 or @operations',
  show: (address) => address,
  fill: (sent) => sent,
  receiver: () => 'Telegram',
  hidesNothing: false,
  secret: botToken,
  options: null,
  keepsIncidents: false,
  waitsForEnd: false,
  isChat: true,
  isPerEvent: false,
};

function web(
  kind: WebAddressKind,
  rest: Pick<ContactTypeRules, 'secret' | 'isPerEvent'> &
    Partial<Pick<ContactTypeRules, 'options' | 'keepsIncidents' | 'waitsForEnd' | 'isChat'>>,
): ContactTypeRules {
  return {
    example: kind.example,
    addressFault: (text, policy) => webAddressFault(text, policy, kind),
    show: (text) => showWebAddress(text, kind),
    fill: (text, kept) => fillWebAddress(text, kept, kind),
    receiver: receiverOf,
    hidesNothing: false,
    options: null,
    keepsIncidents: false,
    waitsForEnd: false,
    isChat: false,
    ...rest,
  };
}

/** THE registry of types of contacts. A new type is a line here and a channel that delivers to it. */
export const contactTypes = {
  email,
  webhook: web(
    { example: 'https://hooks.example.org/vantage', hidesLastPart: false },
    { secret: signing, isPerEvent: true },
  ),
  slack: web(
    { example: 'https://hooks.slack.com/services/T0000/B0000/XXXX', hidesLastPart: true },
    { secret: null, isChat: true, isPerEvent: false },
  ),
  teams: web(
    {
      example:
        'https://example.westeurope.logic.azure.com/workflows/0000/triggers/manual/paths/invoke?sig=XXXX',
      hidesLastPart: false,
    },
    { secret: null, isChat: true, isPerEvent: false },
  ),
  pagerduty: web(
    { example: 'https://events.pagerduty.com/v2/enqueue', hidesLastPart: false },
    { secret: routingKey, keepsIncidents: true, waitsForEnd: true, isPerEvent: true },
  ),
  jsm: web(
    { example: 'https://api.atlassian.com/jsm/ops/integration/v2/alerts', hidesLastPart: false },
    { secret: apiKey, keepsIncidents: true, waitsForEnd: true, isPerEvent: true },
  ),
  alertmanager: web(
    { example: 'https://alertmanager.example.org/', hidesLastPart: false },
    { secret: bearerToken, waitsForEnd: true, isPerEvent: true },
  ),
  ntfy: web(
    { example: 'https://ntfy.sh/a-topic-that-nobody-guesses', hidesLastPart: true },
    { secret: bearerToken, isChat: true, isPerEvent: false },
  ),
  telegram,
  sms: web(
    { example: 'https://sms.example.org/send', hidesLastPart: false },
    { secret: headerValue, options: smsOptions, isPerEvent: false },
  ),
  template: web(
    { example: 'https://hooks.example.org/vantage', hidesLastPart: false },
    { secret: headerValue, options: templateOptions, isPerEvent: true },
  ),
  discord: web(
    { example: 'https://discord.com/api/webhooks/0000/XXXX', hidesLastPart: true },
    { secret: null, isChat: true, isPerEvent: false },
  ),
  gotify: web(
    { example: 'https://gotify.example.org/', hidesLastPart: false },
    { secret: applicationToken, isChat: true, isPerEvent: false },
  ),
  matrix: web(
    { example: 'https://matrix.example.org/!room:example.org', hidesLastPart: false },
    { secret: accessToken, isChat: true, isPerEvent: false },
  ),
  mattermost: web(
    { example: 'https://mattermost.example.org/hooks/XXXX', hidesLastPart: true },
    { secret: null, isChat: true, isPerEvent: false },
  ),
  opsgenie: web(
    { example: 'https://api.opsgenie.com/v2/alerts', hidesLastPart: false },
    { secret: apiKey, keepsIncidents: true, waitsForEnd: true, isPerEvent: true },
  ),
  pushover: web(
    { example: 'https://api.pushover.net/1/messages.json?user_key=XXXX', hidesLastPart: false },
    { secret: applicationToken, isChat: true, isPerEvent: false },
  ),
  rocketchat: web(
    { example: 'https://chat.example.org/hooks/0000/XXXX', hidesLastPart: true },
    { secret: null, isChat: true, isPerEvent: false },
  ),
  servicenow: web(
    { example: 'https://vantage:XXXX@example.service-now.com/', hidesLastPart: false },
    { secret: null, waitsForEnd: true, isPerEvent: true },
  ),
  signal: web(
    { example: 'https://signal.example.org/?number=%2B4712345678&to=%2B4787654321', hidesLastPart: false },
    { secret: bearerToken, isChat: true, isPerEvent: false },
  ),
  zulip: web(
    {
      example: 'https://bot%40example.org:XXXX@zulip.example.org/?to=operations&topic=Vantage',
      hidesLastPart: false,
    },
    { secret: null, isChat: true, isPerEvent: false },
  ),
} as const satisfies Readonly<Record<string, ContactTypeRules>>;

/** A type of contact. */
export type ContactType = keyof typeof contactTypes;

/** The names of all types. */
export const contactTypeNames = Object.keys(contactTypes) as readonly ContactType[];

/** Reads a type from a text. */
export function contactTypeOf(text: string): ContactType | undefined {
  return contactTypeNames.find((name) => name === text);
}
