import { readFileSync } from 'node:fs';
import { retryBecause } from '@vantage/testing/retry';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../harness/target.ts';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const created = z.object({ device_id: z.string() });
const its = useBrowser();
const busy = retryBecause('a busy machine adds to the time limits of a browser');

async function addDevice(more: object): Promise<string> {
  const body = { Method: 'TCP', Frequency: 1, Attempts: 1, ...more };
  return created.parse(await its.system.api.ok('POST', '/devices', body)).device_id;
}

async function openDevice(id: string, query = ''): Promise<Page> {
  const page = await its.open({ width: 1280 });
  await its.signIn(page);
  await page.goto(`${its.base}devices/${id}${query}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

const spanIn = (page: Page) => new URL(page.url()).searchParams.get('span');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test(
  'one range for all rows is in the address: presets, a dragged span and the way back, steps and zoom by keys',
  busy,
  async () => {
    await using target = await startTarget();
    const id = await addDevice({ URL: `127.0.0.1:${target.port}`, ShortName: 'axis' });
    const page = await openDevice(id);
    // A new device starts with the span that has its checks.
    await expect.poll(() => button(page, '1 h').getAttribute('aria-pressed')).toBe('true');
    await button(page, '6 h').click();
    await expect.poll(() => spanIn(page)).toBe('6h');
    const figure = page.locator('figure svg').first();
    const box = await figure.boundingBox();
    if (box === null) throw new Error('no figure');
    await page.mouse.move(box.x + 300, box.y + 150);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 150, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(true);
    await page.mouse.dblclick(box.x + 400, box.y + 150);
    await expect.poll(() => spanIn(page)).toBe('6h');
    await page.keyboard.press('[');
    await expect.poll(() => spanIn(page)).toBe(null);
    await page.keyboard.press(']');
    await expect.poll(() => spanIn(page)).toBe('6h');
    await page.keyboard.press('-');
    await expect.poll(() => spanIn(page)).toBe(null);
    await page.goBack();
    await expect.poll(() => spanIn(page)).toBe('6h');
    expect(await violationsOf(page)).toBe('');
    expect(its.problems.join('\n')).toBe('');
  },
);

test('a note is added by a key, stands on the axis and in its list, and is deleted again', busy, async () => {
  await using target = await startTarget();
  const id = await addDevice({ URL: `127.0.0.1:${target.port}`, ShortName: 'noted' });
  const page = await openDevice(id);
  await button(page, 'Add a note n').waitFor();
  await page.keyboard.press('n');
  await page.getByLabel('What happened').fill('ticket 48112 opened');
  expect(await violationsOf(page)).toBe('');
  await button(page, 'Add').click();
  const row = page.getByRole('listitem').filter({ hasText: 'ticket 48112 opened' });
  await row.waitFor();
  await expect.poll(() => page.locator('figure svg title', { hasText: /ticket|marks/ }).count()).toBe(1);
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  expect(its.problems.join('\n')).toBe('');
});

test(
  'a device behind a master that is Down names it, and the master counts what is behind it',
  busy,
  async () => {
    await using target = await startTarget();
    const URL = `127.0.0.1:${target.port}`;
    const core = await addDevice({ URL, ShortName: 'core-0' });
    const front = await addDevice({ URL, ShortName: 'front', device_master_id: core });
    const page = await openDevice(front);
    await page.getByText('Up', { exact: true }).first().waitFor();
    await target.stop();
    await page.getByText('is Down; nobody is notified of it.').waitFor({ timeout: 60_000 });
    await page.getByRole('link', { name: 'core-0' }).first().click();
    await page.getByText('1 device behind it is Down because of it and notifies nobody.').waitFor();
    await page.getByRole('link', { name: 'front' }).waitFor();
    // Checks are folded by outcome; an opened one tells its course.
    await page
      .getByRole('button', { name: /connection refused/ })
      .first()
      .click();
    const opened = page.locator('button[aria-expanded=true] + div');
    await opened.getByText('connection refused').first().waitFor();
    expect(await violationsOf(page)).toBe('');
    expect(its.problems.join('\n')).toBe('');
  },
);

test('the cursor stays where a key left it, and the address opens the same moment', busy, async () => {
  await using target = await startTarget();
  const id = await addDevice({ URL: `127.0.0.1:${target.port}`, ShortName: 'cursor' });
  const page = await openDevice(id, '?span=1h');
  const figure = page.getByLabel(/^State, phases and loss/);
  await figure.focus();
  await page.keyboard.press('ArrowLeft');
  const at = () => new URL(page.url()).searchParams.get('at');
  await expect.poll(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const words = await page.locator('figure [class*=cursorText]').textContent();
  await page.reload();
  await expect.poll(() => page.locator('figure [class*=cursorText]').textContent()).toBe(words);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('y');
  await button(page, 'Copied y').waitFor();
  const link = new URL(z.string().parse(await page.evaluate('navigator.clipboard.readText()')));
  expect(link.searchParams.get('at')).toBe(at());
  expect(link.searchParams.has('from')).toBe(true);
});

test('the window in the strip of 30 days is dragged and moved by keys', busy, async () => {
  const id = await addDevice({ URL: '127.0.0.1:9', ShortName: 'strip', Frequency: 60 });
  const page = await openDevice(id, '?span=24h');
  const strip = page.getByRole('slider', { name: /within 30 days/ });
  const box = await strip.boundingBox();
  if (box === null) throw new Error('no strip');
  const query = (name: string) => Date.parse(new URL(page.url()).searchParams.get(name) ?? '');
  await page.mouse.move(box.x + 400, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 20, { steps: 4 });
  await page.mouse.up();
  const day = 24 * 3_600_000;
  await expect.poll(() => query('to') - query('from')).toBe(day);
  const from = query('from');
  expect(Date.now() - from).toBeGreaterThan(5 * day);
  await strip.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => query('from')).toBe(from - day);
  expect(await violationsOf(page)).toBe('');
  expect(its.problems.join('\n')).toBe('');
});

test(
  'all checks of a filter are saved as CSV, also those beyond the first page; slow ones are a filter',
  busy,
  async () => {
    const id = await addDevice({ URL: '127.0.0.1:9', ShortName: 'csv-all', Frequency: 60 });
    const page = await openDevice(id);
    const rows = (count: number) => `check_id,CheckResult\r\n${'a,refused\r\n'.repeat(count)}`;
    const asked: URLSearchParams[] = [];
    await page.route(/\/checks\?.*fmt=csv/, (route) => {
      const { searchParams } = new URL(route.request().url());
      asked.push(searchParams);
      const isLast = searchParams.has('Before');
      return route.fulfill({
        body: rows(isLast ? 30 : 100),
        headers: isLast ? {} : { Link: '</v1.1/checks?Before=abc>; rel="next"' },
      });
    });
    await button(page, 'Slow').click();
    await page.getByText('No check matches.').waitFor();
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Checks' }) });
    const saving = page.waitForEvent('download');
    await section.getByRole('button', { name: 'Download CSV' }).click();
    const text = readFileSync(await (await saving).path(), 'utf8');
    expect(text).toBe(rows(130));
    expect(asked.map((query) => [query.get('PerfStat'), query.get('Before')])).toEqual([
      ['Slow', null],
      ['Slow', 'abc'],
    ]);
    expect(its.problems.join('\n')).toBe('');
  },
);
