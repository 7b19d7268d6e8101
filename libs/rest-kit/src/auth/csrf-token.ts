import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { denied } from '../serve/problem.ts';
import type { Session } from './session.ts';

/** The header that carries the token against requests forged by other pages. */
const csrfHeader = 'x-csrf-token';

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
 * The CSRF token of a session, derived from its token, which no page can read. In hexadecimal, so that it never begins
 * with a `-`, before which CSV puts a `'`.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('hex');
}

/** Whether a header holds this CSRF token; compared in constant time. */
function isCsrfToken(sent: string | undefined, expected: string): boolean {
  const sentBytes = Buffer.from(sent ?? '');
  const expectedBytes = Buffer.from(expected);
  return sentBytes.length === expectedBytes.length && timingSafeEqual(sentBytes, expectedBytes);
}
