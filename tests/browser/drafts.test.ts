import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../harness/target.ts';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

// Forms keep the text that a person typed, and say that they keep it.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

const web = {
  Method: 'HTTP',
  URL: 'http://127.0.0.1:9/',
  Frequency: 60,
  Timeout: 17,
  Attempts: 5,
  Options: { ExpectStatus: ['200'], ExpectText: 'Welcome' },
};

async function addDevice(ShortName: string, more: object = {}): Promise<string> {
  return created.parse(await its.system.api.ok('POST', '/devices', { ...web, ShortName, ...more })).device_id;
}

const read = (id: string) => its.system.api.ok('GET', `/devices/${id}?WithConfig=Y`);

async function openAt(path: string): Promise<Page> {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(`${its.base}${path}`);
  return page;
}

async function openForm(id: string): Promise<Page> {
  const page = await openAt(`devices/${id}/edit`);
  await page.getByLabel('Name', { exact: true }).waitFor();
  return page;
}

const save = (page: Page) => page.getByRole('button', { name: /^Save/ }).click();

test('a text that is no list of statuses is refused at its field, and nothing is stored', async () => {
  const id = await addDevice('json');
  const page = await openForm(id);
  await page.getByLabel('Status is').fill('["201"');
  await save(page);
  await page.getByText('is not accepted. An example: 200, 300-399').first().waitFor();
  await page.locator('input:focus').and(page.getByLabel('Status is')).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/devices/${id}/edit`);
  expect(await read(id)).toMatchObject({ Options: web.Options });
  expect(await violationsOf(page)).toBe('');
  await page.getByLabel('Status is').fill('201');
  await save(page);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await read(id)).toMatchObject({ Options: { ...web.Options, ExpectStatus: ['201'] } });
});

test('cleared fields take their defaults, and the form says which', async () => {
  const { api } = its.system;
  await api.ok('POST', '/locations', { Name: 'Second place' });
  const id = await addDevice('cleared', { Locations: ['Second place'] });
  const page = await openForm(id);
  await page.getByLabel('Timeout, seconds').fill('');
  await page.getByLabel('Failed checks before it is Down').fill('');
  await page.getByRole('checkbox', { name: 'Second place' }).uncheck();
  await page.getByText('none chosen: the default Locations of the account').waitFor();
  await save(page);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  expect(await read(id)).toMatchObject({ Timeout: 30, Attempts: 3, Locations: ['local'] });
});

test('another Method and back keeps the Options', async () => {
  const page = await openAt('devices/new?address=http://127.0.0.1:9/');
  await page.getByLabel('Answer contains').fill('Welcome');
  await page.getByLabel('Method', { exact: true }).first().selectOption('TCP');
  await page.getByLabel('Answer contains').waitFor({ state: 'detached' });
  await page.getByLabel('Method', { exact: true }).first().selectOption('HTTP');
  expect(await page.getByLabel('Answer contains').inputValue()).toBe('Welcome');
});

test('a form with changes asks before it is left, and shows the draft when the person returns', async () => {
  const id = await addDevice('kept');
  const page = await openForm(id);
  await page.getByLabel('Name', { exact: true }).fill('half a name');
  await page.getByRole('link', { name: 'Overview' }).click();
  const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
  await dialog.waitFor();
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Stay' }).click();
  expect(new URL(page.url()).pathname).toBe(`/devices/${id}/edit`);
  await page.getByRole('link', { name: 'Overview' }).click();
  await dialog.getByRole('button', { name: 'Leave' }).click();
  await page.waitForURL(its.base);
  await page.goBack();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('half a name');
  await page.getByText('Your unsaved changes').waitFor();
  expect(await violationsOf(page)).toBe('');
  // Back asks, too; the address stays while it does.
  await page.goForward();
  await dialog.waitFor();
  expect(new URL(page.url()).pathname).toBe(`/devices/${id}/edit`);
  await dialog.getByRole('button', { name: 'Discard my changes' }).click();
  await page.waitForURL(its.base);
  await page.goBack();
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('');
  // A form without unsaved changes asks no question.
  await page.getByLabel('Name', { exact: true }).fill('a whole name');
  await save(page);
  await page.getByRole('heading', { level: 1, name: 'a whole name' }).waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.waitForURL(its.base);
});

test('a saved time zone acts at once', async () => {
  const page = await openAt('account');
  await page.getByLabel('Time zone').fill('Asia/Tokyo');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('saved', { exact: false }).first().waitFor();
  await page.getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('link', { name: 'Maintenance' }).click();
  await page.getByText('Asia/Tokyo').first().waitFor();
});

test('Esc and the link to the list keep the filter', async () => {
  await addDevice('filtered');
  const page = await openAt('devices?q=method:http');
  const open = () => page.getByRole('link', { name: 'filtered' }).click();
  const list = `${its.base}devices?q=method:http`;
  await open();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'filtered' }).waitFor();
  expect(decodeURIComponent(page.url())).toBe(list);
  await open();
  await page.getByRole('link', { name: 'Devices matching method:http' }).click();
  await page.getByRole('link', { name: 'filtered' }).waitFor();
  expect(decodeURIComponent(page.url())).toBe(list);
});

/** Records each movement inside the screen that no input caused, with the element that moved. */
const watchJumps = `window.jumps = [];
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, sources } of list.getEntries())
      for (const { node } of hadRecentInput ? [] : sources)
        if (document.querySelector('main').contains(node)) jumps.push((node.outerHTML ?? node.textContent).slice(0, 200));
  }).observe({ type: 'layout-shift' })`;

test('the screen of a device moves nothing while minutes pass, at any width', async () => {
  await using target = await startTarget();
  const body = { Method: 'TCP', URL: `127.0.0.1:${target.port}`, Frequency: 20, Options: null };
  const id = await addDevice('steady', body);
  const page = await its.open();
  await its.signIn(page);
  // A minute of the page's own clock passes at once; the checks come at the pace of the test system.
  await page.clock.install();
  const found: Record<number, unknown> = {};
  // As many as the list shows.
  for (let check = 0; check < 20; check += 1) await its.system.api.ok('POST', `/devices/${id}/check`);
  for (const width of [390, 560, 820, 1_280]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${its.base}devices/${id}`);
    await page.getByText('next check within').waitFor({ timeout: 60_000 });
    // The axis and the sums of its range have their facts.
    await page.getByLabel(/^State, phases and loss, /).waitFor();
    await page.getByRole('list', { name: 'In this time range' }).waitFor();
    await page.evaluate(watchJumps);
    await its.system.api.ok('POST', `/devices/${id}/check`);
    for (let second = 0; second < 100; second += 1) await page.clock.runFor(1_000);
    found[width] = await page.evaluate('window.jumps');
  }
  expect(found).toEqual({ 390: [], 560: [], 820: [], 1280: [] });
  await page.context().close();
});

test('what a new filter hides is no longer selected, and many devices are deleted by typing their number', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `batch-${at}`);
  for (const name of names) await addDevice(name);
  const page = await openAt('devices?q=batch');
  await page.getByText('12 devices', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: /select all/ }).check();
  await page.getByText('All 12 that match').waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  const dialog = page.getByRole('dialog');
  const remove = dialog.getByRole('button', { name: 'Delete 12 devices' });
  expect(await remove.isDisabled()).toBe(true);
  await dialog.getByLabel('Type 12 to delete them').fill('12');
  expect(await remove.isDisabled()).toBe(false);
  expect(await violationsOf(page)).toBe('');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Filter', { exact: true }).fill('batch-11');
  await page.getByText('All 1 that match').waitFor();
  await page.getByLabel('Filter', { exact: true }).fill('batch');
  await page.getByText('1 device selected').waitFor();
});
