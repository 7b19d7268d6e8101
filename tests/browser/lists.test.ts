import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { moveTo, violationsInBothThemes, violationsOf } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

// The list of devices, changes of many of them, and the palette.

const its = useBrowser();
const created = z.object({ device_id: z.string() });

async function addDevice(ShortName: string, more: object = {}): Promise<string> {
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName, Frequency: 60, ...more };
  return created.parse(await its.system.api.ok('POST', '/devices', body)).device_id;
}

const addTag = (Name: string) => its.system.api.ok('POST', '/tags', { Name });

async function openAt(path: string, key?: string): Promise<Page> {
  const page = await its.open();
  await its.signIn(page, key);
  await page.goto(new URL(path, its.base).href);
  return page;
}

const settingsOf = (id: string) => its.system.api.ok('GET', `/devices/${id}`);
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

test('many devices: settings are previewed, changed and restored one by one', async () => {
  const first = await addDevice('bulk-1', { Timeout: 7 });
  const second = await addDevice('bulk-2', { Timeout: 9, Severity: 'info' });
  const page = await openAt('/devices?q=bulk-');
  await page.getByText('2 devices', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: /select all/ }).check();
  await page.getByRole('button', { name: 'Change …' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('button', { name: 'Change 0 devices' }).isDisabled()).toBe(true);
  await dialog.getByLabel('Timeout, seconds').fill('0');
  await dialog.getByText('A whole number from 1 to 120.').waitFor();
  await dialog.getByLabel('Timeout, seconds').fill('20');
  await dialog.getByLabel('Severity').selectOption('info');
  await dialog.getByLabel('Check every').selectOption('5');
  await dialog.getByText('to 0.4 checks a minute').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await dialog.getByRole('button', { name: 'Change 2 devices' }).click();
  await page.getByText('2 devices changed').waitFor();
  expect(await settingsOf(first)).toMatchObject({ Timeout: 20, Severity: 'info', Frequency: 5 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The change of 2 devices is undone').waitFor();
  expect(await settingsOf(first)).toMatchObject({ Timeout: 7, Severity: 'critical', Frequency: 60 });
  expect(await settingsOf(second)).toMatchObject({ Timeout: 9, Severity: 'info', Frequency: 60 });
});

test('many devices: tags are created, added and removed, and maintenance has a length and a reason', async () => {
  await addTag('old');
  const id = await addDevice('tagged-1', { Tags: ['old'] });
  await addDevice('tagged-2');
  const page = await openAt('/devices?q=tagged-');
  await page.getByText('2 devices', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: /select all/ }).check();
  await page.getByRole('button', { name: 'Tags', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Add tags').fill('fresh/one');
  await dialog.getByLabel('Remove tags').fill('old');
  await dialog.getByText('fresh/one is created').waitFor();
  await dialog.getByRole('button', { name: 'Change the tags of 2 devices' }).click();
  await page.getByText('2 devices changed').waitFor();
  expect(await settingsOf(id)).toMatchObject({ Tags: [{ Name: 'fresh/one' }] });
  await page.getByRole('button', { name: 'Maintenance', exact: true }).click();
  await dialog.getByLabel('For', { exact: true }).selectOption('02:00');
  await dialog.getByLabel('Reason').fill('new racks');
  await dialog.getByRole('button', { name: 'Start maintenance of 2 devices' }).click();
  await page.getByText('2 devices changed').waitFor();
  expect(JSON.stringify(await its.system.api.ok('GET', '/maintenance'))).toContain('new racks');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The change of 2 devices is undone').waitFor();
  expect(await settingsOf(id)).toMatchObject({ MaintenanceUntil: null });
});

test('devices of a file are left out of a change unless they are wanted', async () => {
  const id = await addDevice('owned-1', { ExternalKey: 'owned', Source: 'net/berlin' });
  await addDevice('owned-2');
  const page = await openAt('/devices?q=owned-');
  await page.getByText('2 devices', { exact: true }).waitFor();
  await page.getByRole('checkbox', { name: /select all/ }).check();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Pause 1 device' }).waitFor();
  await dialog.getByLabel(/Change also the 1 device that net\/berlin manages/).check();
  await dialog.getByRole('button', { name: 'Pause 2 devices' }).click();
  await page.getByText('2 devices changed').waitFor();
  expect(await settingsOf(id)).toMatchObject({ Enabled: false });
});

test('the filter completes words, knows NOT, OR and settings, and names what no device has', async () => {
  await addTag('find/a');
  await addTag('find/b');
  await addDevice('find-1', { Tags: ['find/a'], URL: '127.0.0.1:11' });
  await addDevice('find-2', { Tags: ['find/b'], URL: '127.0.0.1:12', Severity: 'info' });
  await addDevice('find-3', { URL: '127.0.0.1:13' });
  const page = await openAt('/devices');
  const field = page.getByLabel('Filter', { exact: true });
  const shown = (filter: string, count: number) =>
    field
      .fill(filter)
      .then(() => page.getByText(count === 1 ? '1 device' : `${count} devices`, { exact: true }).waitFor());
  await link(page, 'find-1').waitFor();
  await shown('find- -tag:find/a', 2);
  await shown('find- tag:find/a OR severity:info', 2);
  await shown('find- url:127.0.0.1:13', 1);
  await link(page, 'find-3').waitFor();
  await field.fill('find- tag:nowhere');
  await page.getByText('No device has the tag “nowhere”.').waitFor();
  await field.fill('find- stat:down');
  await page.getByText('The filter does not know stat:.').waitFor();
  // By the keyboard: a field, then one of its values.
  await field.fill('find- ta');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.type('find/');
  await page.getByRole('option', { name: /find\/b/ }).waitFor();
  expect(await violationsOf(page)).toBe('');
  // The branch, and its two tags.
  for (const _ of ['find/*', 'find/a', 'find/b']) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.getByText('1 device', { exact: true }).waitFor();
  await link(page, 'find-1').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Remove find- from the filter' }).click();
  await expect.poll(() => field.inputValue()).toBe('tag:find/b');
});

test('heads sort the list, columns are remembered, and a view is an address', async () => {
  await addDevice('view-b');
  await addDevice('view-a');
  const page = await openAt('/devices?q=view-');
  const names = () => page.getByRole('link', { name: /^view-/ }).allTextContents();
  await expect.poll(names).toEqual(['view-a', 'view-b']);
  await page.getByRole('button', { name: 'Device', exact: true }).click();
  await page.getByRole('button', { name: /^Device/ }).click();
  await expect.poll(names).toEqual(['view-b', 'view-a']);
  expect(new URL(page.url()).searchParams.get('q')).toBe('sort:-name view-');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('URL', { exact: true }).check();
  await page.keyboard.press('Escape');
  await page.getByText('127.0.0.1:9', { exact: true }).first().waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Name of this view').fill('My view');
  await page.getByRole('button', { name: 'Save the view' }).click();
  expect(await violationsOf(page)).toBe('');
  const to = await link(page, 'My view').getAttribute('href');
  // Without columns in the address, the browser remembers them.
  await page.goto(`${its.base}devices`);
  await page.getByRole('columnheader', { name: 'URL' }).waitFor();
  await page.goto(new URL(to ?? '', its.base).href);
  await expect.poll(names).toEqual(['view-b', 'view-a']);
});

test('at most five Tab stops lead to the first row, and arrow keys move in the tree', async () => {
  for (let rack = 1; rack < 6; rack += 1) await addTag(`stops/rack-${rack}`);
  for (let rack = 1; rack < 6; rack += 1) await addDevice(`stop-${rack}`, { Tags: [`stops/rack-${rack}`] });
  const page = await openAt('/devices');
  await link(page, 'stop-1').waitFor();
  await page.locator('#content').focus();
  let stops = 0;
  for (; stops < 12; stops += 1) {
    await page.keyboard.press('Tab');
    if ((await page.evaluate("document.activeElement.closest('[data-device]') !== null")) === true) break;
  }
  expect(stops + 1).toBeLessThanOrEqual(5);
  await page.locator('#content').focus();
  await page.keyboard.press('Tab');
  const focused = () => page.evaluate('document.activeElement.textContent');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  expect(await focused()).toMatch(/^All devices/);
  while (!/stops/.test(String(await focused()))) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  expect(await focused()).toMatch(/rack-1/);
  await page.keyboard.press('Enter');
  await page.getByText('1 device', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('tag:stops/rack-1');
  // Back returns to the filter before.
  await page.goBack();
  await link(page, 'stop-2').waitFor();
});

test('keys act on the row: check now, maintenance, edit; and only the keys of this screen are listed', async () => {
  const id = await addDevice('keyed', { Attempts: 11, RetryDelay: 300 }); // not Down yet: without an alert
  const page = await openAt('/devices?q=keyed');
  await link(page, 'keyed').waitFor();
  await page.keyboard.press('j');
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('keyed');
  await page.keyboard.press('e');
  await page.getByText('keyed has no open alert.').waitFor();
  await page.keyboard.press('r');
  await page.getByText(/^keyed: .*refused/).waitFor();
  await page.keyboard.press('m');
  await page.getByRole('dialog').getByRole('button', { name: 'Start maintenance' }).click();
  await page.getByRole('row', { name: /keyed/ }).getByText('Maint').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('m');
  await page.getByText('The maintenance of keyed has ended.').waitFor();
  await page.keyboard.press('?');
  await page.getByText('Select all that match').waitFor();
  expect(await page.getByText('Previous, next').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('i');
  await page.waitForURL(`**/devices/${id}/edit`);
});

test('the palette finds tags, contacts and addresses, and does things with a device', async () => {
  await addTag('palette/rack');
  const id = await addDevice('core-7', { Tags: ['palette/rack'], URL: '127.0.0.1:29710' });
  await its.system.api.ok('POST', '/contacts', {
    Name: 'Night shift',
    Type: 'email',
    Address: 'night@example.org',
  });
  const page = await openAt('/devices', adminKey);
  await link(page, 'core-7').waitFor();
  const open = async (query: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search or do' }).fill(query);
  };
  const option = (name: RegExp) => page.getByRole('option', { name });
  await open('palette/rack');
  await option(/palette\/rack 1 device/).waitFor();
  for (const [query, name] of [
    ['night', /Night shift/],
    ['29710', /core-7/],
    ['audit', /Go to Audit/],
    ['dark', /Dark appearance/],
  ] as const) {
    await page.getByRole('combobox', { name: 'Search or do' }).fill(query);
    await option(name).first().waitFor();
  }
  await page.getByRole('combobox', { name: 'Search or do' }).fill('core-7');
  await option(/Check core-7 now/).waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await page.keyboard.press('Tab');
  expect(await page.getByRole('option', { selected: true }).textContent()).toContain('core-7');
  await page.getByRole('combobox', { name: 'Search or do' }).fill('pause core-7');
  await page.keyboard.press('Enter');
  await page.getByText('core-7 is paused.').waitFor();
  expect(await settingsOf(id)).toMatchObject({ Enabled: false });
  await page.keyboard.press('Escape');
  await open('dark');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
});

test('the list is saved as CSV with its columns, and as a file of apply', async () => {
  await addDevice('export-1', { Severity: 'info', FullName: '=1+1, a formula' });
  const page = await openAt('/devices?q=export-1&columns=status,device,url,severity');
  await page.getByText('1 device', { exact: true }).waitFor();
  const save = async (name: string) => {
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    return readFile(await download.path(), 'utf8');
  };
  const [heads, row] = (await save('Save as CSV')).split('\r\n');
  expect(heads).toBe('Status,StatusSince,FullName,ShortName,URL,Severity');
  expect(row).toMatch(/,"'=1\+1, a formula",export-1,127\.0\.0\.1:9,info$/);
  const file: unknown = JSON.parse(await save('Save as an apply file'));
  expect(file).toMatchObject({
    devices: [{ Key: 'export-1', Method: 'TCP', URL: '127.0.0.1:9', Severity: 'info', Frequency: 60 }],
  });
});

test('a table from a spreadsheet adds devices, changes those with its keys, and tells what it leaves out', async () => {
  const id = await addDevice('sheet-1', { ExternalKey: 'sheet-1', FullName: 'Stays' });
  const page = await openAt('/devices/new/many');
  const rows = [
    ['Host', 'Key', 'Timeout', 'Tags', 'Owner', 'Parent'],
    ['127.0.0.1:9', 'sheet-1', '11', '', 'Ada', ''],
    ['127.0.0.1:21', 'sheet-2', '', 'sheet/new', 'Bob', 'sheet-1'],
    ['', 'sheet-3', '', '', '', ''],
  ];
  await page.getByLabel('Addresses, one per line').fill(rows.map((row) => row.join('\t')).join('\n'));
  await page.getByText('changes Timeout').waitFor();
  await page.getByText('Not taken over: Owner').waitFor();
  await page.getByText('has no address').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await page.getByRole('button', { name: 'Add 1 device, change 1' }).click();
  await page.getByRole('heading', { name: 'Devices', exact: true }).waitFor();
  expect(await settingsOf(id)).toMatchObject({ Timeout: 11, FullName: 'Stays' });
  expect(JSON.stringify(await its.system.api.ok('GET', `/devices?device_master_id=${id}`))).toContain(
    '127.0.0.1',
  );
});

test('the counts and the Down devices are shown before the others are read, with few requests', async () => {
  const page = await its.open();
  await its.signIn(page);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const row = (at: number, Status: string) => ({
    device_id: at.toString(16).padStart(48, '0'),
    ShortName: `early-${at}`,
    FullName: null,
    Method: 'PING',
    Status,
    StatusSince: '2026-02-25T23:38:03+01:00',
    Enabled: true,
    Retrying: false,
    Severity: 'critical',
    MaintenanceUntil: null,
    DownBecause: null,
    Tags: [],
    Locations: [],
    LastCheck: null,
    Day: 'U'.repeat(72),
  });
  let requests = 0;
  await page.route(/\/v1\.1\/summary/, async (route) => {
    requests += 1;
    const json: unknown = await (await route.fetch()).json();
    const summary = z.looseObject({ Devices: z.looseObject({}) }).parse(json);
    await route.fulfill({
      json: { ...summary, Devices: { ...summary.Devices, Total: 900, Down: 1, Up: 899 } },
    });
  });
  await page.route(/\/v1\.1\/states/, async (route) => {
    requests += 1;
    const isDown = new URL(route.request().url()).searchParams.get('Status') === 'Down';
    if (!isDown) await released;
    const all = Array.from({ length: 900 }, (_, at) => row(at, at === 899 ? 'Down' : 'Up'));
    await route.fulfill({
      json: isDown ? all.slice(-1) : all,
      headers: { 'Vantage-Revision': 'r-1' },
    });
  });
  await page.goto(its.base);
  await page.getByRole('heading', { level: 1, name: '1 device is down' }).waitFor();
  await link(page, 'early-899').waitFor();
  expect(await violationsOf(page)).toBe('');
  await moveTo(page, '/devices');
  await page.getByText('900 devices, 1 Down.').waitFor();
  await link(page, 'early-899').waitFor();
  expect(requests).toBe(3);
  release();
  await page.getByText('900 devices', { exact: true }).waitFor();
  await link(page, 'early-0').waitFor();
});
