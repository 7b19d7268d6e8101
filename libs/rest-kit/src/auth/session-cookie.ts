/**
 * The cookie that carries a session's token. Browsers take a name with this prefix only with Secure, the path / and no
 * Domain, so no other host and no page in clear can set it (RFC 6265bis, section 4.1.3.2).
 */
export const sessionCookieName = '__Host-vantage-session';

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

/** The value of Set-Cookie that deletes the token. */
export const endedCookie = `${sessionCookieName}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;
