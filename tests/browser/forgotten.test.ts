import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import { expect, test } from 'vitest';
import { violationsOf } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

const its = useBrowser();
const soon = { timeout: 60_000, interval: 200 };

test('who forgot the password gets a link by mail from the sign-in page, and is signed in after choosing another', async () => {
  await using mails = await startFakeMailServer();
  const as = { 'Service-API-Key': adminKey };
  const { api } = its.system;
  const page = await its.open({ width: 390 });
  await page.goto(its.base);
  const ask = async () => {
    await page.getByText('Sign in with e-mail and password').waitFor();
    const forgotten = page.getByRole('link', { name: 'Forgot your password?' });
    if (!(await forgotten.isVisible())) await page.getByText('Sign in with e-mail and password').click();
    await forgotten.click();
    await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor();
  };
  await ask();
  await page.getByText('This installation has no mail server').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('link', { name: 'Sign in' }).click();

  const MailServer = { Host: '127.0.0.1', Port: Number(new URL(mails.url).port), Security: 'None' };
  const set = await api.call('PUT', '/installation/settings', { MailServer }, as);
  expect(set.text).toContain('MailServer');
  const person = { Name: 'Ada', Email: 'ada@example.org', Level: 'UO' };
  const invited = await api.call('POST', '/users', person, as);
  const [link = ''] = /https:[^"]+/.exec(invited.text) ?? [];
  const choose = async (address: string, password: string) => {
    await page.goto(`${its.base}invitation/${address.split('/invitation/')[1]}`);
    await page.getByLabel(/^Password, at least/).fill(password);
    await page.getByLabel('The same again').fill(password);
    await page.getByRole('button', { name: 'Set the password' }).click();
    await page.getByRole('link', { name: 'Overview' }).waitFor();
  };
  await choose(link, 'the password of before');
  await page.context().clearCookies();
  await page.goto(its.base);
  await ask();
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('Your e-mail address').fill('Ada@example.org');
  await page.getByRole('button', { name: 'Send me a link' }).click();
  await page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor();
  expect(await violationsOf(page)).toBe('');
  // A mail has lines of 76 characters, and a link is longer.
  const texts = () => mails.messages.map(({ data }) => data.replaceAll('=\r\n', '').replaceAll('=3D', '='));
  const links = () =>
    texts().flatMap((text) =>
      /Subject: Another password/.test(text) ? (/https:\S+invitation\S+/.exec(text) ?? []) : [],
    );
  await expect.poll(() => links().length, soon).toBe(1);
  await choose(links()[0] ?? '', 'the password of after');
  expect(its.problems).toEqual([]);
});
