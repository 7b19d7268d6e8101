import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { denied } from './problem.ts';
import type { Zone } from './zone.ts';

/** Authorization levels of a key, each with the rights of those before it: reader, operator, writer, admin. */
export const levels = ['UR', 'UO', 'UW', 'UA'] as const;

/** Authorization level of a key. */
export type Level = (typeof levels)[number];

/** A sign-in by a browser. */
export interface SignIn {
  readonly sessionNo: number;
  /** When it ends at the latest if it is not used again, epoch microseconds. */
  readonly endsUs: number;
  /** Writes must carry it in the header X-CSRF-Token. */
  readonly csrfToken: string;
  /** A sign-in provider (OpenID Connect) signed the person in. */
  readonly isByProvider: boolean;
}

/** Who asks: an account by one of its keys. */
export interface Session {
  readonly accountNo: number;
  readonly accountId: string;
  readonly keyNo: number;
  /** The key's name; '': it has none. */
  readonly keyName: string;
  /** The caller's address. */
  readonly address: string;
  readonly level: Level;
  /** A user name and password go with this key. */
  readonly hasBasic: boolean;
  /** The account's time zone. */
  readonly zone: Zone;
  /**
   * Numbers of tags: the caller sees and changes only devices that have one of them, and what belongs to them.
   * undefined: no limit.
   */
  readonly scope?: readonly number[];
  /** undefined: the request carries the key itself. */
  readonly signIn?: SignIn;
}

/** Throws a Problem (1002) where the caller may not use routes of this level. */
export function requireLevel(session: Session | undefined, level: Level | 'none'): void {
  if (level === 'none') return;
  if (session === undefined || levels.indexOf(session.level) < levels.indexOf(level)) throw denied();
}

/** Throws a Problem (1002) where a page of another site may have sent a request that changes something. */
export function requireCsrfToken(
  { signIn }: Session,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): void {
  if (signIn === undefined || method === 'GET' || method === 'HEAD') return;
  const sent = headers[csrfHeader];
  if (!isCsrfToken(typeof sent === 'string' ? sent : undefined, signIn.csrfToken))
    throw denied(
      'A session needs its CsrfToken in the header X-CSRF-Token for every change.',
      'no_csrf_token',
    );
}

/**
 * The cookie that carries a session's token. Browsers take a name with this prefix only with Secure, the path / and no
 * Domain, so no other host and no page in clear can set it (RFC 6265bis, section 4.1.3.2).
 */
export const sessionCookieName = '__Host-vantage-session';

/** The header that carries the token against requests forged by other pages. */
const csrfHeader = 'x-csrf-token';

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
function isCsrfToken(sent: string | undefined, expected: string): boolean {
  const given = Buffer.from(sent ?? '');
  const wanted = Buffer.from(expected);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
