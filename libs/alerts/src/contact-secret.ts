import { Buffer } from 'node:buffer';

const signingPrefix = 'whsec_';
const [minBytes, maxBytes] = [24, 64];
const signingForm = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

const signingSecretHint =
  'whsec_ and the base64 of 24 to 64 random bytes; make one with: echo "whsec_$(openssl rand -base64 32)"';

/** A signing secret in the form of Standard Webhooks. `bytes` are 24 to 64 random bytes. */
export function signingSecret(bytes: Uint8Array): string {
  return signingPrefix + Buffer.from(bytes).toString('base64');
}

/**
 * Whether a text is a signing secret: `whsec_` and the base64 of 24 to 64 bytes (Standard Webhooks, section "Signature
 * scheme").
 */
export function isSigningSecret(text: string): boolean {
  if (!signingForm.test(text)) return false;
  const bytes = Buffer.from(text.slice(signingPrefix.length), 'base64');
  return bytes.length >= minBytes && bytes.length <= maxBytes && signingSecret(bytes) === text;
}

/** The rule for the `Secret` of one type of contact. */
export interface SecretRule {
  readonly isRequired: boolean;
  /** It signs messages, so Vantage can create a new one. Other secrets come from the receiver. */
  readonly signs: boolean;
  /** Its kind and its origin, as the rest of "must be …". */
  readonly hint: string;
  readonly accepts: (text: string) => boolean;
}

/** The secret of Standard Webhooks. */
export const signing: SecretRule = {
  isRequired: true,
  signs: true,
  hint: signingSecretHint,
  accepts: isSigningSecret,
};

/** PagerDuty: the integration key of a service, or of an event orchestration. */
export const routingKey: SecretRule = {
  isRequired: true,
  signs: false,
  hint: 'the integration key of the PagerDuty service (Events API v2): 32 letters and digits',
  accepts: (text) => /^[A-Za-z0-9]{32}$/.test(text),
};

/** Jira Service Management and Opsgenie: the key of an API integration. */
export const apiKey: SecretRule = {
  isRequired: true,
  signs: false,
  hint: 'the API key of an API integration of Jira Service Management or Opsgenie, for example 5e1f0c6a-0000-4000-8000-000000000000',
  accepts: (text) => /^[A-Za-z0-9-]{20,100}$/.test(text),
};

/** Telegram: the token of a bot, from BotFather. */
export const botToken: SecretRule = {
  isRequired: true,
  signs: false,
  hint: "the bot's token as BotFather shows it, for example 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
  accepts: (text) => /^\d{1,20}:[A-Za-z0-9_-]{30,60}$/.test(text),
};

/** Gotify and Pushover: the token of an application. */
export const applicationToken: SecretRule = {
  isRequired: true,
  signs: false,
  hint: 'the token of the application that you made there, for example AbCdEf12345: letters, digits, dots, - and _',
  accepts: (text) => /^[A-Za-z0-9._-]{8,200}$/.test(text),
};

/** A token for the header Authorization (RFC 6750 section 2.1). */
export const bearerToken: SecretRule = {
  isRequired: false,
  signs: false,
  hint: 'an access token that is sent as "Authorization: Bearer …": letters, digits and -._~+/=',
  accepts: (text) => /^[A-Za-z0-9._~+/-]+=*$/.test(text),
};

/** The value of a header (RFC 9110 section 5.5), or a text for the body. */
export const headerValue: SecretRule = {
  isRequired: false,
  signs: false,
  hint: 'the value of the header that SecretHeader names (default Authorization), for example "Bearer 0f1e2d": printable ASCII characters',
  accepts: (text) => /^[!-~](?:[ -~]*[!-~])?$/.test(text),
};

/** Matrix: the access token of the sending account. */
export const accessToken: SecretRule = {
  isRequired: true,
  signs: false,
  hint: 'the access token of the account that sends: letters, digits and -._~+/=',
  accepts: bearerToken.accepts,
};
