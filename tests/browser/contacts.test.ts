import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();

/** Each look costs the controller and the database. */
const soon = { timeout: 60_000, interval: 200 };

let status = 204;
const answer: RequestListener = (request, response) => {
  request.resume().on('end', () => {
    response.statusCode = status;
    response.end();
  });
};
const receiver = createServer(answer);
let address = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = z.object({ port: z.int() }).parse(receiver.address());
  address = `http://127.0.0.1:${port}/hook`;
});
afterAll(() => {
  receiver.close();
});

test('a webhook is added with a made secret, a test shows what its receiver says, and the secret is never shown again', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}schedules/contacts`);
  await page.getByText('There are no contacts yet').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('link', { name: 'Add a contact' }).click();
  await page.getByLabel('Type').selectOption('webhook');
  await page.getByLabel('Name').fill('Night desk');
  await page.getByRole('button', { name: 'Add this contact' }).click();
  await page
    .getByText(/is required for contacts of Type webhook/)
    .first()
    .waitFor();
  await page.getByLabel('Address').fill(address);
  await page.getByRole('button', { name: 'Generate a secret' }).click();
  const secret = await page.getByLabel('Secret').inputValue();
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Add this contact' }).click();
  await page.getByRole('heading', { level: 1, name: 'Night desk' }).waitFor();
  await page.getByText('No schedule names it').waitFor();
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Notify it of every alert' }).click();
  await page.getByRole('link', { name: 'Everybody' }).waitFor();
  expect(await page.getByRole('button', { name: 'Notify it of every alert' }).count()).toBe(0);
  const { nschedule_id: own } = (await its.system.api.ok('GET', '/account')) as { nschedule_id: string };
  expect(await its.system.api.ok('GET', `/nschedules/${own}`)).toMatchObject({ Name: 'Everybody' });
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/Delivered: HTTP 204/).waitFor();
  status = 503;
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/It was not delivered: .*503/).waitFor();
  expect(await violationsOf(page)).toBe('');
  // Another change keeps the secret.
  await page.getByLabel('Name').fill('Night watch');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Night watch' }).waitFor();
  status = 204;
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByText(/Delivered: /).waitFor();
  expect(its.problems).toEqual([]);
});

test('every Type has a form of its own, and none has a violation', async () => {
  const page = await its.open({ theme: 'dark', width: 390 });
  await its.signIn(page);
  await page.goto(`${its.base}schedules/contacts/new`);
  await page.getByLabel('Type').waitFor();
  const types = await page.getByLabel('Type').locator('option').allTextContents();
  expect(types.length).toBeGreaterThan(20);
  for (const type of types) {
    await page.getByLabel('Type').selectOption(type);
    await page.getByText(/^for example /).waitFor();
  }
  expect(await page.getByLabel('Secret').count()).toBe(0);
  await page.getByLabel('Type').selectOption('sms');
  await page.getByLabel('Phone number').waitFor();
  await page.getByText('Notifies about').click();
  await page.getByLabel(/^device.down/).check();
  expect(await violationsOf(page)).toBe('');
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
});

test('its messages are listed with each attempt and sent again; who only views cannot do that', async () => {
  const { contact_id } = z
    .array(z.object({ contact_id: z.string() }))
    .min(1)
    .parse(await its.system.api.ok('GET', '/contacts'))[0] ?? { contact_id: '' };
  const steps = [{ DelayMinutes: 0, Contacts: [contact_id] }];
  const { nschedule_id } = z
    .object({ nschedule_id: z.string() })
    .parse(await its.system.api.ok('POST', '/nschedules', { Name: 'All', Steps: steps }));
  const device = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'router', Attempts: 1, nschedule_id };
  await its.system.api.ok('POST', '/devices', device);
  const deliveries = z.array(z.object({ State: z.string() }));
  await expect
    .poll(
      async () => deliveries.parse(await its.system.api.ok('GET', `/contacts/${contact_id}/deliveries`)),
      soon,
    )
    .toEqual([{ State: 'Delivered' }]);
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}schedules/contacts/${contact_id}`);
  await page.getByRole('link', { name: 'All' }).waitFor();
  await page.getByText(/1 attempt: HTTP 204/).waitFor();
  await page.getByRole('button', { name: 'Send again: router is Down' }).click();
  await page.getByText('It is sent again, as a new message.').waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'router is Down' }).count(), soon).toBe(2);
  expect(await violationsOf(page)).toBe('');
  const viewer = await its.open();
  await its.signIn(viewer, its.system.quickstart().api_key_ur);
  await viewer.goto(`${its.base}schedules/contacts/${contact_id}`);
  await viewer.getByRole('link', { name: 'router is Down' }).first().waitFor();
  expect(await viewer.getByRole('button', { name: /Send|Save|Delete|Make/ }).count()).toBe(0);
});
