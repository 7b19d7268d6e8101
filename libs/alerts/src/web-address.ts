import { isMask, mapQuerySecrets } from '@vantage/domain';
import { isPrivateHost } from '@vantage/kernel';

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
