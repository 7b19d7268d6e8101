import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * The cookie that carries a session's token. Browsers take a name with this prefix only with Secure, the path / and no
 * Domain, so no other host and no page in clear can set it (RFC 6265bis, section 4.1.3.2).
 */
export const sessionCookieName = '__Host-vantage-session';

/** The header that carries the token against requests forged by other pages. */
export const csrfHeader = 'x-csrf-token';

/** A longer Cookie header holds nothing of ours. */
const maxHeader = 8_192;

/** The token of the Cookie header; undefined when there is none, or several. */
export function readSessionToken(header: string | undefined): string | undefined {
  return readCookie(header, sessionCookieName);
}

/** The value of this cookie; undefined when there is none, or several. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined || header.length > maxHeader) return undefined;
  const begin = `${name}=`;
  const found = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(begin));
  const [only] = found;
  return found.length === 1 ? only?.slice(begin.length) : undefined;
}

/**
 * The value of Set-Cookie that gives a browser the token. The server says when the session ends, so the cookie has no
 * age.
 */
export function sessionCookie(token: string): string {
  return `${sessionCookieName}=${token}; Path=/; Secure; HttpOnly; SameSite=Strict`;
}

/** The value of Set-Cookie that takes the token away. */
export const endedCookie = `${sessionCookieName}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;

/**
 * The CSRF token of a session, derived from its token, which no page can read. In hexadecimal, so that it never begins
 * with a `-`, before which CSV puts a `'`.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('hex');
}

/** Whether a header holds this CSRF token; compared in constant time. */
export function isCsrfToken(sent: string | undefined, expected: string): boolean {
  const given = Buffer.from(sent ?? '');
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
