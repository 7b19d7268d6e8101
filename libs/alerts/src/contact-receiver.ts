import { Buffer } from 'node:buffer';
import { isMask, mapQuerySecrets } from '@vantage/domain';
import { isPrivateHost } from '@vantage/kernel';

const emailRule = 'must be one e-mail address in ASCII characters, for example noc@example.org';
/** An atom of RFC 5322 section 3.2.3. */
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const emailForm = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@(?=.{1,253}$)${label}(?:\\.${label})*$`);
/** RFC 5321 section 4.5.3.1.3: a path of 256 octets, two of which are its brackets. */
const longestEmail = 254;

/**
 * The fault of an e-mail address; null: none. Accepted is the address alone (RFC 5321 section 4.1.2 with a
 * Dot-string), so that nothing else gets into the header of a message.
 */
export function emailFault(text: string): string | null {
  return text.length <= longestEmail && emailForm.test(text) ? null : emailRule;
}

/** Names that are not of the public DNS (RFC 6761, RFC 6762, ICANN's `internal`), and others that networks use. */
const localNames = ['localhost', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'private', 'arpa'];

/**
 * The fault of an e-mail address that a stranger names; null: none. Besides what `emailFault` refuses it must be of a
 * public domain: the mail server may deliver `root@localhost` to its own host, and other names to people nearby.
 */
export function strangersEmailFault(text: string): string | null {
  const labels = text
    .toLowerCase()
    .slice(text.lastIndexOf('@') + 1)
    .split('.');
  const last = labels.at(-1) ?? '';
  const isPublic = labels.length > 1 && /[a-z]/.test(last) && !localNames.includes(last);
  return emailFault(text) ?? (isPublic ? null : 'must be of a public domain, for example ada@example.org');
}

/** Stands for a credential. */
const mask = '***';
/** Blanks and control characters, which a parser of URLs would drop, and the backslash, which it reads as a slash. */
const unfit = /[\p{C}\p{Z}\\]/u;
/** Scheme, authority, path, query. */
const parts = /^(https?:\/\/)([^/?]*)([^?]*)(?:\?(.*))?$/i;

/** How the web addresses of one type of contact are shown and checked. */
export interface WebAddressKind {
  /** A good one, for refusals. */
  readonly example: string;
  /** The last part of the path is a credential, as in addresses of Slack and topics of ntfy. */
  readonly hidesLastPart: boolean;
}

/** The fault of a web address; null: none. `allowPrivate` also accepts plain HTTP. */
export function webAddressFault(
  text: string,
  { allowPrivate }: { readonly allowPrivate: boolean },
  kind: Pick<WebAddressKind, 'example'>,
): string | null {
  const example = `for example ${kind.example}`;
  const rule = `must be a web address that begins with https:// and has no fragment, ${example}`;
  if (unfit.test(text) || !parts.test(text) || !URL.canParse(text)) return rule;
  const { protocol, hostname } = new URL(text);
  if (text.includes('#')) return rule;
  if (allowPrivate) return null;
  if (protocol === 'http:')
    return `must begin with https://, ${example}; the operator can permit plain HTTP with VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true`;
  return isPrivateHost(hostname.replace(/\.$/, ''))
    ? `must not go to a private or loopback address; ${example}. The operator can permit it with VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true`
    : null;
}

/**
 * The address with `***` for the password, for values of query parameters that are credentials, and for the last part
 * where it is one.
 */
export function showWebAddress(text: string, kind: Pick<WebAddressKind, 'hidesLastPart'>): string {
  return mapCredentials(text, kind, (value) => (value === '' ? value : mask));
}

/**
 * The address with the kept credentials in the place of their masks. undefined: a mask stands where nothing is kept, or
 * scheme, host, port or user is another one now.
 */
export function fillWebAddress(
  text: string,
  kept: string | undefined,
  kind: Pick<WebAddressKind, 'hidesLastPart'>,
): string | undefined {
  if (kept !== undefined && text === showWebAddress(kept, kind)) return kept;
  if (!URL.canParse(text)) return text;
  const stored = new Map<string, string>();
  if (kept !== undefined && receiverOf(kept) === receiverOf(text))
    mapCredentials(kept, kind, (value, name) => {
      stored.set(name, value);
      return value;
    });
  let isMissing = false;
  const filled = mapCredentials(text, kind, (value, name) => {
    if (!isMask(value)) return value;
    const known = stored.get(name);
    isMissing ||= known === undefined;
    return known ?? value;
  });
  return isMissing ? undefined : filled;
}

/** Scheme, host, port and user of an address: who gets its credentials and the contact's secret. */
export function receiverOf(text: string): string {
  const { protocol, host, username } = new URL(text);
  return JSON.stringify([protocol, host, username]);
}

/**
 * Replaces the credentials as they stand in the text. `name` is `:` for the password, `/` for the last part of the
 * path, else the parameter's name and its place among those of this name.
 */
function mapCredentials(
  text: string,
  { hidesLastPart }: Pick<WebAddressKind, 'hidesLastPart'>,
  replace: (value: string, name: string) => string,
): string {
  const [, head = '', authority = '', path = '', query] = parts.exec(text) ?? [];
  const at = authority.lastIndexOf('@');
  const colon = authority.slice(0, Math.max(at, 0)).indexOf(':') + 1;
  const login =
    colon > 0
      ? authority.slice(0, colon) + replace(authority.slice(colon, at), ':') + authority.slice(at)
      : authority;
  const shownPath = hidesLastPart ? path.replace(/[^/]+(?=\/*$)/, (value) => replace(value, '/')) : path;
  return `${head}${login}${shownPath}${query === undefined ? '' : mapQuerySecrets(`?${query}`, replace)}`;
}

const signingPrefix = 'whsec_';
const [leastBytes, mostBytes] = [24, 64];
const signingForm = /^whsec_[A-Za-z0-9+/]+={0,2}$/;

/** How to make a secret, for people. */
const signingSecretHint =
  'whsec_ and the base64 of 24 to 64 random bytes; make one with: echo "whsec_$(openssl rand -base64 32)"';

/** A signing secret as Standard Webhooks writes it. `bytes` are random, 24 to 64 of them. */
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
  return bytes.length >= leastBytes && bytes.length <= mostBytes && signingSecret(bytes) === text;
}

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
