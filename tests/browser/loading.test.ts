import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

// What a page says while its devices are still loading.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  await its.system.api.ok('POST', '/tags', { Name: 'hall/rack-1' });
  const body = { Method: 'TCP', URL: '127.0.0.1:9', Frequency: 60 };
  for (const ShortName of ['load-1', 'load-2'])
    created.parse(await its.system.api.ok('POST', '/devices', { ...body, ShortName, Tags: ['hall/rack-1'] }));
});

/** Opens a page whose reads of states wait until `release` is called. */
async function openHeld(
  path: string,
  isHeld: (query: URLSearchParams) => boolean,
): Promise<{ readonly page: Page; readonly release: () => void }> {
  const page = await its.open();
  await its.signIn(page);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(/\/v1\.1\/states/, async (route) => {
    if (isHeld(new URL(route.request().url()).searchParams)) await released;
    await route.continue();
  });
  await page.goto(`${its.base}${path}`);
  return { page, release };
}

const isOfParts = (query: URLSearchParams) => query.has('With') && !query.has('Status');
const isPlain = (query: URLSearchParams) => !query.has('With');
const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) });
const filter = (page: Page) => page.getByRole('combobox', { name: 'Filter' });

test('names are listed and searched before tags are read; a tag finds nothing yet, and the list says so', async () => {
  const { page, release } = await openHeld('devices', isOfParts);
  await rowOf(page, 'load-1').waitFor();
  await page.getByText('2 devices. Reading tags and last checks …').waitFor();
  await filter(page).fill('load-2');
  await rowOf(page, 'load-1').waitFor({ state: 'detached' });
  await rowOf(page, 'load-2').waitFor();
  await filter(page).fill('tag:hall/*');
  await page.getByText('Devices are still loading …').waitFor();
  expect(await page.getByText('No device matches this filter.').count()).toBe(0);
  expect(await violationsOf(page)).toBe('');
  release();
  await rowOf(page, 'load-1').waitFor();
  await page.getByText('2 devices', { exact: true }).waitFor();
  await page.getByRole('treeitem', { name: /hall/ }).waitFor();
  expect(its.problems).toEqual([]);
});

test('the palette and the search for a master say that devices are still loading', async () => {
  const { page, release } = await openHeld('devices/new?address=127.0.0.1:9', isPlain);
  await page.getByPlaceholder('Find a device').fill('load');
  await page.getByText('Still loading …').waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog');
  await palette.getByRole('combobox').fill('load-2');
  await palette.getByText('Devices are still loading …').waitFor();
  release();
  await page
    .getByRole('option', { name: /load-2/ })
    .first()
    .waitFor();
  expect(its.problems).toEqual([]);
});

test('the first Tab stop leads to the content: five stops from the top of the page to the list', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices`);
  await rowOf(page, 'load-1').waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  for (let stops = 2; stops <= 5; stops += 1) await page.keyboard.press('Tab');
  expect(await page.evaluate("document.activeElement.closest('[role=table]') !== null")).toBe(true);
  expect(new URL(page.url()).pathname).toBe('/devices');
});
