import { isMask, mapQuerySecrets } from '@vantage/domain';
import { isPrivateHost } from '@vantage/kernel';

/** Replaces a credential. */
const mask = '***';
/** Spaces and control characters, which a URL parser drops, and the backslash, which it reads as a slash. */
const unfit = /[\p{C}\p{Z}\\]/u;
/** Scheme, authority, path, query. */
const parts = /^(https?:\/\/)([^/?]*)([^?]*)(?:\?(.*))?$/i;

/** The properties of the web addresses of one type of contact. */
export interface WebAddressKind {
  /** A valid address, for error messages. */
  readonly example: string;
  /** The last part of the path is a credential, as in addresses of Slack and topics of ntfy. */
  readonly hidesLastPart: boolean;
}

/** The fault of a web address. `allowPrivate` also accepts plain HTTP. */
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
    return `must begin with https://, ${example}; an admin can permit plain HTTP on the page under Account (VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true)`;
  return isPrivateHost(hostname.replace(/\.$/, ''))
    ? `must not go to a private or loopback address; ${example}. An admin can permit it on the page under Account (VANTAGE_ALLOW_PRIVATE_WEBHOOKS=true)`
    : null;
}

/**
 * The address with `***` for the password, for values of query parameters that are credentials, and for a last part
 * that is a credential.
 */
export function showWebAddress(text: string, kind: Pick<WebAddressKind, 'hidesLastPart'>): string {
  return mapCredentials(text, kind, (value) => (value === '' ? value : mask));
}

/**
 * The address with the stored credentials instead of their masks. undefined: a mask has no stored credential, or
 * scheme, host, port or user has changed.
 */
export function fillWebAddress(
  text: string,
  stored: string | undefined,
  kind: Pick<WebAddressKind, 'hidesLastPart'>,
): string | undefined {
  if (stored !== undefined && text === showWebAddress(stored, kind)) return stored;
  if (!URL.canParse(text)) return text;
  const credentials = new Map<string, string>();
  if (stored !== undefined && receiverOf(stored) === receiverOf(text))
    mapCredentials(stored, kind, (value, name) => {
      credentials.set(name, value);
      return value;
    });
  let isMissing = false;
  const filled = mapCredentials(text, kind, (value, name) => {
    if (!isMask(value)) return value;
    const known = credentials.get(name);
    isMissing ||= known === undefined;
    return known ?? value;
  });
  return isMissing ? undefined : filled;
}

/** Scheme, host, port and user of an address: the receiver of its credentials and of the contact's secret. */
export function receiverOf(text: string): string {
  const { protocol, host, username } = new URL(text);
  return JSON.stringify([protocol, host, username]);
}

/**
 * Replaces the credentials in their encoded form. `name` is `:` for the password, `/` for the last part of the path,
 * else the name of the parameter and its index among those of that name.
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
