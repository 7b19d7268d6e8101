import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();

const created = z.object({ device_id: z.string() });

/** Opens the screen of a new device, which answers nothing and so stays as it is. */
async function openDevice(name: string): Promise<{ readonly page: Page; readonly id: string }> {
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: name, Frequency: 60 };
  const { device_id: id } = created.parse(await its.system.api.ok('POST', '/devices', body));
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}devices/${id}`);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  return { page, id };
}

const isChange = (route: Route) => route.request().method() === 'PUT';
const status = (page: Page, word: string) => page.locator('main p').getByText(word, { exact: true }).first();

test('a change is shown before the API answers, and taken back by its undo', async () => {
  const { page, id } = await openDevice('undo-1');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(`**/devices/${id}`, async (route) => {
    if (isChange(route)) await released;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Pause' }).click();
  await status(page, 'Paused').waitFor();
  release();
  await page.getByText('undo-1 is paused.').waitFor();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.keyboard.press('z');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await page.getByText('undo-1 is paused.').count()).toBe(0);
  expect(await its.system.api.ok('GET', `/devices/${id}`)).toMatchObject({ Enabled: true });
  // Last, because on a busy machine it takes longer than the 10 s for which an undo is offered.
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('undo-1 is paused.').waitFor();
  expect(await violationsOf(page)).toBe('');
});

test('a refused change disappears, and its reason is shown', async () => {
  const { page, id } = await openDevice('undo-2');
  await page.route(`**/devices/${id}`, (route) =>
    isChange(route)
      ? route.fulfill({ status: 503, json: { code: 1503, message: 'The database does not answer.' } })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('alert').getByText('The database does not answer.').waitFor();
  expect(await status(page, 'Paused').count()).toBe(0);
  expect(await page.getByText('undo-2 is paused.').count()).toBe(0);
});

test('maintenance that was ended by mistake runs again until its end', async () => {
  const { page, id } = await openDevice('undo-4');
  await its.system.api.ok('PUT', `/devices/${id}/start-maintenance`, { Duration: '02:00', Reason: 'disks' });
  const windows = z.looseObject({
    Maintenance: z.array(z.looseObject({ End: z.string(), Reason: z.string().nullable() })),
  });
  const readWindow = async () =>
    windows.parse(await its.system.api.ok('GET', `/devices/${id}`)).Maintenance[0];
  const before = await readWindow();
  await page.getByRole('button', { name: 'End maintenance' }).click();
  await page.getByText('The maintenance of undo-4 has ended.').waitFor();
  expect(await readWindow()).toBe(undefined);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await readWindow())?.Reason).toBe('disks');
  await page.getByRole('button', { name: 'End maintenance' }).waitFor();
  const after = await readWindow();
  const apartMs = Date.parse(after?.End ?? '') - Date.parse(before?.End ?? '');
  expect(Math.abs(apartMs)).toBeLessThanOrEqual(60_000);
});

test('a setting is changed in its place: refused with its reason, saved, and restored by the undo', async () => {
  const { page, id } = await openDevice('undo-5');
  const timeout = async () =>
    z.looseObject({ Timeout: z.number() }).parse(await its.system.api.ok('GET', `/devices/${id}`)).Timeout;
  const before = await timeout();
  await page.getByRole('button', { name: /^Change Timeout: / }).click();
  const field = page.getByRole('textbox', { name: 'Timeout' });
  await field.fill('none');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  await field.fill('17');
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change Timeout: 17 s' }).waitFor();
  expect(await timeout()).toBe(17);
  await page.keyboard.press('z');
  await field.waitFor({ state: 'detached' });
  await expect.poll(timeout).toBe(before);
  await page.getByRole('button', { name: /^Change Severity: / }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Change Severity: / }).waitFor();
});

test('neither a change nor its undo overwrites what somebody else changed meanwhile', async () => {
  const { page, id } = await openDevice('undo-3');
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('undo-3 is paused.').waitFor();
  await its.system.api.ok('PUT', `/devices/${id}`, { Timeout: 17 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page
    .getByText('This could not be undone: Nothing was done, because the device was changed')
    .waitFor();
  expect(await its.system.api.ok('GET', `/devices/${id}`)).toMatchObject({ Enabled: false, Timeout: 17 });
  expect(its.problems).toEqual([]);
});
