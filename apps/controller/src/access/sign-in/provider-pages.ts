import { type FormPage, formPage, formPageHeaders } from '@vantage/rest-kit/form-page';
import type { OuterReply } from '@vantage/rest-kit/outer-routes';
import { begunCookie } from './begun-sign-in.ts';

export const first = { to: '/', words: 'To the first page' } as const;

export const none: FormPage = { title: 'There is nothing here', lines: [], fields: null, links: [first] };

export const failed: FormPage = {
  title: 'You are not signed in',
  lines: ['Try again on the first page. A key or a password works without the provider.'],
  fields: null,
  links: [first],
};

export function page(
  status: OuterReply['status'],
  shown: FormPage,
  headers: OuterReply['headers'] = {},
): OuterReply {
  const type = 'text/html; charset=utf-8';
  return { status, type, body: formPage(shown), headers: { ...formPageHeaders, ...headers } };
}

/** Lets a person who is in several accounts choose one. It redirects to the provider again, which knows them now. */
export function choice(accounts: readonly string[]): OuterReply {
  const links = accounts.map((account) => ({
    to: `${path}?${accountField}=${encodeURIComponent(account)}`,
    words: account,
  }));
  const shown = { title: 'Choose an account', lines: ['You are in several.'], fields: null, links };
  return page(200, shown, { 'Set-Cookie': begunCookie('', 0) });
}

/** The path of the sign-in by the provider. Below it are `/callback` and `/ways`; the latter needs no provider. */
export const path = '/sign-in';

/** The account of a person who is in several: `/sign-in?Account=…`. */
export const accountField = 'Account';
