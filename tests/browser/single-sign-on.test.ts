import { expect, test } from 'vitest';
import { violationsOf } from './browser.ts';
import { provider, useBrowser } from './system.ts';

const its = useBrowser();

test('a person signs in by the provider without a password, stays signed in, and signs out of both', async () => {
  const page = await its.open();
  provider.person = {
    sub: 'ada',
    email: 'ada@example.org',
    email_verified: true,
    name: 'Ada',
    groups: ['noc'],
  };
  await page.goto(its.base);
  const link = page.getByRole('link', { name: 'Sign in with single sign-on' });
  await link.waitFor();
  expect(await violationsOf(page)).toBe('');
  await link.click();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await page.reload();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${provider.issuer}/session/end**`);
  await page.goto(its.base);
  await page.getByLabel('API key').waitFor();
  expect(its.problems).toEqual([]);
});

test('who is in no group reads why, and can go back', async () => {
  const page = await its.open();
  provider.person = { sub: 'eve', email: 'eve@example.org', email_verified: true, groups: [] };
  await page.goto(new URL('/sign-in', its.base).href);
  await page.getByText('You are in none of the groups that may sign in here.').waitFor();
  await page.goto(its.base);
  await page.getByLabel('API key').waitFor();
});

test('who administers reads how people sign in, and a test says what works', async () => {
  const page = await its.open({ theme: 'dark', width: 390 });
  provider.person = {
    sub: 'root',
    email: 'root@example.org',
    email_verified: true,
    name: 'Root',
    groups: ['admins'],
  };
  await page.goto(new URL('/sign-in', its.base).href);
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await page.goto(`${its.base}people`);
  await page.getByText('members of noc may view and acknowledge all devices').waitFor();
  await page.getByRole('button', { name: 'Test signing in' }).click();
  await page.getByText('All 5 parts work.').waitFor();
  expect(await violationsOf(page)).toBe('');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await page.content()).not.toContain(provider.clientSecret);
  await provider[Symbol.asyncDispose]();
  await page.getByRole('button', { name: 'Test signing in' }).click();
  await page.getByText('1 part does not work.').waitFor();
  await page.getByText(`The provider at ${provider.issuer} cannot be reached`).waitFor();
  expect(await violationsOf(page)).toBe('');
});
