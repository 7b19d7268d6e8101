import { type ContactOptionRule, smsOptions, templateOptions } from './contact-options.ts';
import {
  accessToken,
  apiKey,
  applicationToken,
  bearerToken,
  botToken,
  headerValue,
  routingKey,
  type SecretRule,
  signing,
} from './contact-secret.ts';
import { emailFault } from './email-address.ts';
import {
  fillWebAddress,
  receiverOf,
  showWebAddress,
  type WebAddressKind,
  webAddressFault,
} from './web-address.ts';

export interface AddressPolicy {
  /** Messages may go to private addresses, and by plain HTTP (`VANTAGE_ALLOW_PRIVATE_WEBHOOKS`). */
  readonly allowPrivate: boolean;
}

/** The properties of one type of contact. Its functions are pure. */
export interface ContactTypeRules {
  /** A valid address, for people. */
  readonly example: string;
  /** The fault of an address, as the rest of a sentence that begins with the field's name. */
  readonly addressFault: (address: string, policy: AddressPolicy) => string | null;
  /** The address as the API shows it, with `***` for credentials. */
  readonly show: (address: string) => string;
  /**
   * The address with the credentials of the stored one instead of their masks. undefined: a mask has no stored
   * credential, or the address has another receiver.
   */
  readonly fill: (sent: string, stored: string | undefined) => string | undefined;
  /** The receiver of the secret, by the address. A secret for one receiver is never sent to another. */
  readonly receiver: (address: string) => string;
  /** The API shows everything: the address has no credential, and there is no secret. */
  readonly hidesNothing: boolean;
  /** Null: it has no `Secret`. */
  readonly secret: SecretRule | null;
  /** Null: it has no Options. */
  readonly options: ContactOptionRule | null;
  /** It keeps an incident for each alert, and receives acknowledgements too. */
  readonly keepsIncidents: boolean;
  /** It shows an alert until it receives the end, so it must also receive that an alert closed without an end. */
  readonly waitsForEnd: boolean;
  /** People talk to each other there, so it receives acknowledgements. */
  readonly isChat: boolean;
  /** It receives a message for each event. The messages of other types are grouped. */
  readonly isPerEvent: boolean;
}

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

/** THE registry of contact types. A new type is a line here and a channel that delivers to it. */
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
    { example: 'https://ntfy.sh/an-unguessable-topic', hidesLastPart: true },
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

export type ContactType = keyof typeof contactTypes;

export const contactTypeNames = Object.keys(contactTypes) as readonly ContactType[];

export function contactTypeOf(text: string): ContactType | undefined {
  return contactTypeNames.find((name) => name === text);
}
