// biome-ignore-all lint/suspicious/noTemplateCurlyInString: steps are written so
import { serveSite } from '@vantage/probes/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// The steps of an HTTP device: a list that is added to, moved and shortened, tried, and shown as bars in a check.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

/** A shop that gives a token for a login, and orders for the token. */
const startShop = () =>
  serveSite((request, response) => {
    request.resume();
    if (request.url === '/login') return void response.end('{"token":"tok-123456"}');
    const isIn = request.headers.authorization === 'Bearer tok-123456';
    return void response.writeHead(isIn ? 200 : 401).end('3 orders');
  });

test('steps are added, moved, removed, tried and saved, and a check shows them as bars', async () => {
  await using shop = await startShop();
  const { api } = its.system;
  const device = { Method: 'HTTP', URL: `${shop.url}/`, ShortName: 'shop-1', Frequency: 60, Enabled: false };
  const { device_id } = created.parse(await api.ok('POST', '/devices', device));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/${device_id}/edit?field=Options.Steps`);
  const list = page.getByRole('group', { name: 'Steps in turn' });
  const step = (at: number) => list.locator('ol').first().locator(':scope > li').nth(at);

  await list.getByRole('button', { name: 'Add a step' }).click();
  await step(0).getByLabel('Name', { exact: true }).fill('Log in');
  await step(0).getByLabel('URL or path').fill('/login');
  await step(0).getByLabel('HTTP method').selectOption('POST');
  const values = step(0).getByRole('group', { name: 'Values for later steps' });
  await values.getByRole('button', { name: 'Add one' }).click();
  await values.getByLabel('Name', { exact: true }).fill('token');
  await values.getByLabel('JSON path').fill('$.token');
  await values.getByLabel('Secret').selectOption('yes');

  await list.getByRole('button', { name: 'Add a step' }).click();
  await step(1).getByLabel('Name', { exact: true }).fill('Orders');
  await step(1).getByLabel('URL or path').fill('/orders');
  await step(1).getByLabel('Request headers, name 1').fill('Authorization');
  await step(1).getByLabel('Request headers, value 1').fill('Bearer ${token}');
  await step(1).getByLabel('Body contains').fill('3 orders');

  await list.getByRole('button', { name: 'Add a step' }).click();
  await step(2).getByLabel('Name', { exact: true }).fill('Too much');
  await step(2).getByLabel('Fails over, ms').fill('soon');
  await list.getByRole('button', { name: 'Move Step 3: Too much up' }).click();
  await expect.poll(() => step(1).textContent()).toContain('Step 2: Too much');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('A whole number').first().waitFor();
  await list.getByRole('button', { name: 'Remove Step 2: Too much' }).click();
  expect(await violationsInBothThemes(page)).toBe('');

  const trial = page.getByRole('region', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Try it' }).click();
  await trial.getByText('200 OK after 2 steps').first().waitFor();
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await api.ok('GET', `/devices/${device_id}`)).toMatchObject({
    Options: {
      Steps: [
        {
          Name: 'Log in',
          URL: '/login',
          Method: 'POST',
          Extract: [{ Name: 'token', JSONPath: '$.token', Secret: true }],
        },
        { Name: 'Orders', URL: '/orders', Headers: { Authorization: '***' }, ExpectText: '3 orders' },
      ],
    },
  });

  const { check_id } = z
    .object({ check_id: z.string() })
    .parse(await api.ok('POST', `/devices/${device_id}/check`));
  expect(await api.ok('GET', `/checks/${check_id}/extended`)).toMatchObject({
    Extended: {
      Steps: [
        { Name: 'Log in', Good: true },
        { Name: 'Orders', Good: true },
      ],
    },
  });
  await page.goto(`${its.base}devices/${device_id}?check=${check_id}`);
  await page.getByRole('button', { name: '200 OK after 2 steps' }).click();
  const bars = page.getByRole('heading', { name: 'Steps', exact: true }).locator('..');
  await bars.getByText('Log in').waitFor();
  expect(await bars.locator('li').count()).toBe(2);
  expect(await violationsInBothThemes(page)).toBe('');
});
