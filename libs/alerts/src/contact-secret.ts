import { isSigningSecret, signingSecretHint } from './signing-secret.ts';

/** The kind of the `Secret` of one type of contact. */
export interface SecretRule {
  /** A contact without one is refused. */
  readonly isRequired: boolean;
  /** It signs messages; Vantage can make a new one. Others belong to the receiver. */
  readonly signs: boolean;
  /** Its kind and where people find it, as the rest of "must be …". */
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

/** Telegram: the token that BotFather gives a bot. */
export const botToken: SecretRule = {
  isRequired: true,
  signs: false,
  hint: "the bot's token as BotFather shows it, for example 123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
  accepts: (text) => /^\d{1,20}:[A-Za-z0-9_-]{30,60}$/.test(text),
};

/** Gotify and Pushover: the token of an application that was made there. */
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

/** Matrix: the access token of the account that sends. */
export const accessToken: SecretRule = {
  isRequired: true,
  signs: false,
  hint: 'the access token of the account that sends: letters, digits and -._~+/=',
  accepts: bearerToken.accepts,
};
