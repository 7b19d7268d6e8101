import { createServer } from 'node:http';
import { startFakeMailServer } from '@vantage/testing/fake-mail-server';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type MoreAgent, startAgent } from '../harness/more-agents.ts';
import { violationsOf } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

// The first minutes of a newcomer: no terminal but the line for the second host, no restart, no document.

const its = useBrowser();
const soon = { timeout: 60_000, interval: 200 };
const password = 'a long enough password';

const step = (page: Page, name: string) => page.locator(`[data-step="${name}"]`);
const isDone = (page: Page, name: string) => step(page, name).getAttribute('data-done');

/** Opens the overview by its link, as a person does. */
async function overview(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('First steps').first().waitFor();
}

/** The errors in the console of the browser. */
function consoleErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error') errors.push(line.text());
  });
  return errors;
}

/** Signs in by typing at once, because the field has the focus. */
async function signIn(page: Page): Promise<void> {
  await page.goto(its.base);
  await page.getByLabel('API key').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.keyboard.type(adminKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'What do you want to monitor?' }).waitFor();
}

/** Watches an address: it is typed at once, because the field has the focus. */
async function watch(page: Page, address: string): Promise<void> {
  await expect.poll(() => page.evaluate('document.activeElement?.tagName'), soon).toBe('INPUT');
  expect(await violationsOf(page)).toBe('');
  await page.keyboard.type(address);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Add this device' }).click();
  await page.waitForURL(/\/devices\/[0-9a-f]{48}/);
}

/** Sets the mail server after a test of it, and has an address notified. */
async function beNotified(page: Page, mail: { readonly port: string; readonly to: string }): Promise<void> {
  const notify = step(page, 'notify');
  await notify.getByText('if a device fails now, no contact is notified').waitFor();
  await notify.getByRole('button', { name: 'Choose who is notified' }).click();
  await notify.getByLabel('Mail server').fill('localhost');
  await notify.getByRole('button', { name: 'none', exact: true }).click();
  await notify.getByLabel('Port').fill('1');
  await notify.getByLabel('Send a test to').fill(mail.to);
  await notify.getByRole('button', { name: 'Send a test' }).click();
  await notify.getByText(/refuses the connection/).waitFor();
  await notify.getByLabel('Port').fill(mail.port);
  await notify.getByRole('button', { name: 'Send a test again' }).click();
  await notify.getByText(/The mail server accepted the test e-mail/).waitFor();
  expect(await violationsOf(page)).toBe('');
  await notify.getByRole('button', { name: 'Save' }).click();
  await notify.getByLabel('E-mail address').fill(mail.to);
  await notify.getByRole('button', { name: 'Notify this address' }).click();
  await expect.poll(() => isDone(page, 'notify'), soon).toBe('true');
}

/** Invites a colleague, who is signed in as soon as the password is chosen. */
async function invite(page: Page): Promise<void> {
  await step(page, 'invite').getByRole('link', { name: 'Invite a person' }).click();
  await page.getByRole('button', { name: 'Invite a person' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Ada');
  await dialog.getByLabel('E-mail address').fill('ada@example.org');
  await dialog.getByRole('button', { name: 'Create the invitation' }).click();
  const link = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
  await page.getByRole('button', { name: 'Done' }).click();
  const ada = await its.open();
  const errors = consoleErrors(ada);
  await ada.goto(link);
  await ada.getByLabel(/^Password/).fill(password);
  await ada.getByLabel('The same again').fill(password);
  await ada.getByRole('button', { name: 'Set the password' }).click();
  await ada.getByRole('link', { name: 'Overview' }).waitFor();
  await ada.getByRole('button', { name: 'Account' }).click();
  await ada.getByText(/Ada/).first().waitFor();
  expect(errors).toEqual([]);
}

/** Invites an agent to another Location, and runs it with the token of the line. */
async function addLocation(page: Page): Promise<MoreAgent> {
  await step(page, 'location').getByRole('link', { name: 'Invite an agent' }).click();
  const { token } = z.looseObject({ token: z.string() }).parse(await invitationOf(page));
  return startAgent(its.system, 'oslo', { name: 'newcomer-agent', invited: { token, agent_id: '' } });
}

async function invitationOf(page: Page): Promise<{ readonly token: string }> {
  await page.getByRole('button', { name: 'Invite an agent' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').selectOption({ label: 'a new one' });
  await dialog.getByLabel('Name of the new Location').fill('oslo');
  await dialog.getByRole('button', { name: 'Create install command' }).click();
  const line = (await page.getByRole('dialog').locator('pre').first().textContent()) ?? '';
  await page.keyboard.press('Escape');
  return { token: /Bearer ([0-9a-f]{64})/.exec(line)?.[1] ?? line };
}

/** Shares a status page, and reads it without a sign-in. */
async function share(page: Page): Promise<void> {
  await step(page, 'page').getByRole('link', { name: 'Create a status page' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Our services');
  await page.getByRole('button', { name: 'Create the page' }).click();
  await page.waitForURL(/\/status-pages\/[0-9a-f]{48}/);
  const [made] = z.array(z.looseObject({ Path: z.string() })).parse(await its.system.api.ok('GET', '/pages'));
  const stranger = await its.open();
  await stranger.goto(`${its.base}status/${made?.Path}`);
  await stranger.getByText('Our services').first().waitFor();
}

test('a newcomer watches, is notified, invites, adds a Location and shares a page, all from the overview', async () => {
  let status = 200;
  const target = createServer((_, response) => void response.writeHead(status).end('x'));
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.int() }).parse(target.address());
  await using mails = await startFakeMailServer();
  const page = await its.open();
  const errors = consoleErrors(page);

  await signIn(page);
  await watch(page, `http://127.0.0.1:${port}/`);
  await overview(page);
  await expect.poll(() => isDone(page, 'watch'), soon).toBe('true');
  expect(await violationsOf(page)).toBe('');

  await beNotified(page, { port: new URL(mails.url).port, to: 'noc@example.org' });
  expect(mails.messages).toHaveLength(2);
  await invite(page);
  await overview(page);
  await expect.poll(() => isDone(page, 'invite'), soon).toBe('true');
  {
    await using _agent = await addLocation(page);
    await overview(page);
    await expect.poll(() => isDone(page, 'location'), { ...soon, timeout: 150_000 }).toBe('true');
    await share(page);
    await overview(page);
    await expect.poll(() => isDone(page, 'page'), soon).toBe('true');
    await page.getByText('5 of 6 done').waitFor();
  }
  // A fact that ends opens its step again.
  await expect.poll(() => isDone(page, 'location'), soon).toBe('false');

  // The mail of a real outage arrives.
  status = 500;
  await expect
    .poll(() => mails.messages.some(({ data }) => /Subject: .*(Outage|down)/i.test(data)), soon)
    .toBe(true);
  expect(errors).toEqual([]);
  expect(its.problems).toEqual([]);
  target.close();
});

test('the first steps can be hidden, and come back by a link', async () => {
  const page = await its.open({ width: 390, theme: 'dark' });
  await its.signIn(page, adminKey);
  await page.goto(its.base);
  await page.getByRole('button', { name: 'Hide this list' }).click();
  const show = page.getByRole('button', { name: /^Show the first steps/ });
  await show.waitFor();
  await page.reload();
  await show.waitFor();
  expect(await page.getByRole('button', { name: 'Hide this list' }).count()).toBe(0);
  expect(await violationsOf(page)).toBe('');
  await show.click();
  await page.getByRole('button', { name: 'Hide this list' }).waitFor();
  expect(await violationsOf(page)).toBe('');
});

test('a setting that an environment variable makes is named and cannot be changed', async () => {
  const page = await its.open();
  await its.signIn(page, adminKey);
  await page.goto(`${its.base}account`);
  await page.getByText('Set by the environment variable VANTAGE_ALLOW_PRIVATE_WEBHOOKS').waitFor();
  expect(await page.getByLabel(/^Webhooks and chats may use/).count()).toBe(0);
  await page.getByLabel('From').fill('no address');
  await page.getByRole('button', { name: 'Save' }).last().click();
  await page.getByText(/must be an e-mail address, also with a name/).waitFor();
  expect(await violationsOf(page)).toBe('');
});
