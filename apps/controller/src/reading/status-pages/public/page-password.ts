import { createHmac, timingSafeEqual } from 'node:crypto';
import { secondUs } from '@vantage/domain';
import { clientNetwork } from '@vantage/kernel';
import type { AttemptLimit } from '@vantage/rest-kit/attempt-limit';
import type { FormRequest, OuterReply } from '@vantage/rest-kit/outer-routes';
import { readCookie } from '@vantage/rest-kit/session-cookie';
import { statusPath } from '../status-page-routes.ts';
import { passwordHtml, statusHeaders } from './html.ts';
import type { ReadPage } from './page-view.ts';
import { html, type StatusRouteDeps, types } from './status-replies.ts';

/** With the key of the cookies. */
type OpenDeps = StatusRouteDeps & { readonly cookieKey: Uint8Array };

/** A password opens its page for this long. */
const openS = 12 * 3_600;

/** Each computation of a password's hash takes 16 MiB and all of a processor for 50 ms. */
export const hashing = { running: 1, perOwner: { running: 1, waiting: 4 }, waiting: 16 } as const;

/** Answers a password that was sent. Guesses are counted for each page and address. */
export async function enter(
  deps: OpenDeps & {
    readonly guesses: AttemptLimit;
    readonly verify: (password: string) => Promise<{ readonly value: boolean } | undefined>;
  },
  page: ReadPage,
  { fields, address }: FormRequest,
): Promise<OuterReply> {
  const guess = deps.guesses.begin(`${page.page_no}/${clientNetwork(address)}`);
  if ('waitS' in guess)
    return html(503, passwordHtml(page.name, `Too many attempts. Try again in ${guess.waitS} seconds.`));
  const outcome = await deps.verify((fields.get('Password') ?? '').slice(0, 200));
  if (outcome === undefined) {
    guess.takeBack();
    return html(503, passwordHtml(page.name, 'Too many passwords at once. Try again in a moment.'));
  }
  if (!outcome.value) return html(200, passwordHtml(page.name, 'The password is wrong.'));
  guess.takeBack();
  const endsS = Math.floor(deps.clock.nowUs() / secondUs) + openS;
  const cookie = `${cookieName(page)}=${endsS}.${signature(deps.cookieKey, page, endsS)}; Path=${statusPath}; Max-Age=${openS}; Secure; HttpOnly; SameSite=Lax`;
  const to = `${statusPath}${page.path}`;
  return {
    status: 302,
    type: types.html,
    body: '',
    headers: { ...statusHeaders, Location: to, 'Set-Cookie': cookie },
  };
}

/** A cookie of the page's present password that has not ended. */
export function isOpen({ clock, cookieKey }: OpenDeps, page: ReadPage, cookies: string | undefined): boolean {
  const [ends = '', signed = ''] = (readCookie(cookies, cookieName(page)) ?? '').split('.');
  if (!/^\d{1,12}$/.test(ends) || Number(ends) * secondUs < clock.nowUs()) return false;
  const expected = Buffer.from(signature(cookieKey, page, Number(ends)));
  const found = Buffer.from(signed);
  return found.length === expected.length && timingSafeEqual(found, expected);
}

function cookieName({ page_no }: ReadPage): string {
  return `__Secure-vantage-page-${page_no}`;
}

function signature(key: Uint8Array, { page_no, password_hash }: ReadPage, endsS: number): string {
  return createHmac('sha256', key).update(`${page_no}.${endsS}.${password_hash}`).digest('base64url');
}
