import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { signInByForm } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { bounded, type Figure, quantile } from './figures.ts';
import { downDevices } from './many-devices-world.ts';
import { measureTyping } from './page-figures.ts';

const slow = { latencyMs: 400, bytesPerSecond: 400_000 / 8 };

/** The page that is measured. */
export interface MeasuredPage {
  readonly browser: Browser;
  readonly base: string;
  readonly key: string;
  readonly devices: number;
}

/** Runs before the scripts of the page: the moments at which its parts are there, and the shifts of its layout. */
const watchingOf = (devices: number) => `(() => {
  const seen = (window.seen = {});
  const note = (name, holds) => { if (seen[name] === undefined && holds) seen[name] = performance.now(); };
  window.shifts = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  new MutationObserver(() => {
    const rows = Number(document.querySelector('[role=table]')?.getAttribute('aria-rowcount') ?? 0);
    const heading = document.querySelector('h1')?.textContent ?? '';
    note('counts', /\\b${downDevices} (devices )?(are )?[Dd]own/.test(heading + ' ' + (document.querySelector('[role=status]')?.textContent ?? '')));
    note('down', [...document.querySelectorAll('a')].some(({ textContent }) => textContent === 'Gate 0'));
    note('listed', rows > ${devices});
    note('complete', rows > ${devices} && document.querySelectorAll('[role=treeitem]').length > 10);
  }).observe(document, { childList: true, subtree: true, attributes: true, characterData: true });
})();`;

const number = z.number();
const seenFigures = z.record(z.string(), z.number());

async function openPage({ browser, base, key, devices }: MeasuredPage): Promise<Page> {
  const page = await openWindow(browser, []);
  await signInByForm(page, base, key);
  await page.addInitScript(watchingOf(devices));
  return page;
}

/** Waits until an expression holds. The policy of the page forbids `waitForFunction`. */
async function until(page: Page, expression: string): Promise<void> {
  while (!(await page.evaluate(expression))) await page.waitForTimeout(100);
}

/** Tab stops from the top of the document to the first row of the list, with the link to the content. */
async function stopsToList(page: Page): Promise<number> {
  await page.evaluate('document.activeElement.blur(); scrollTo(0, 0)');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  for (let stops = 2; stops <= 50; stops += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate("document.activeElement.closest('[role=table]') !== null")) return stops;
  }
  return Number.NaN;
}

const readsBefore = (name: string) => `performance.getEntriesByType('resource')
  .filter((entry) => entry.name.includes('/v1.1/') && entry.startTime < window.seen.${name}).length`;

/** Measures the list of devices on a fast connection. */
export async function measureFast(measured: MeasuredPage): Promise<readonly Figure[]> {
  const { base, devices } = measured;
  const page = await openPage(measured);
  await page.goto(`${base}devices`);
  await until(page, 'window.seen.complete !== undefined');
  await page.getByText('Live').waitFor();
  await page.waitForTimeout(10_000);
  const seen = seenFigures.parse(await page.evaluate('window.seen'));
  const requests = number.parse(await page.evaluate(readsBefore('listed')));
  const shift = number.parse(await page.evaluate('window.shifts'));
  const stops = await stopsToList(page);
  const typed: number[] = [];
  for (const words of ['device 4711 of', 'd 99 cellar', 'status:down gate'])
    typed.push(...(await measureTyping(page, words)));
  const opened = number.parse(
    await page.evaluate(`new Promise((resolve) => {
      const link = document.querySelector('[data-device] a');
      const from = performance.now();
      const look = () => requestAnimationFrame(() => {
        const isThere = document.querySelector('h1') !== null && document.querySelector('main figure svg path, figure svg path') !== null;
        if (isThere || performance.now() - from > 10000) resolve(performance.now() - from);
        else look();
      });
      link.click();
      look();
    })`),
  );
  await page.context().close();
  return [
    bounded('first row of a Down device', 'ms', seen['down'] ?? Number.NaN, 1_000),
    bounded(
      `${devices} devices in the list, which can be searched`,
      'ms',
      seen['listed'] ?? Number.NaN,
      1_000,
    ),
    bounded('  requests until then', '', requests, 6),
    bounded('  with tags, last checks and days', 'ms', seen['complete'] ?? Number.NaN, 3_000),
    bounded('  layout shift, 10 s', '', shift, 0.001),
    bounded('  Tab stops to the list', '', stops, 5),
    bounded('a key in the search until its picture, p50', 'ms', quantile(typed, 0.5), 50),
    bounded('  p95', 'ms', quantile(typed, 0.95), 50),
    bounded('  the slowest', 'ms', Math.max(...typed), 100),
    bounded('a device after a click', 'ms', opened, 300),
  ];
}

/** Measures the first load of the overview on a slow connection. */
export async function measureSlow(measured: MeasuredPage): Promise<readonly Figure[]> {
  const page = await openPage(measured);
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.clearBrowserCache');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: slow.latencyMs,
    downloadThroughput: slow.bytesPerSecond,
    uploadThroughput: slow.bytesPerSecond,
  });
  page.setDefaultTimeout(180_000);
  await page.goto(measured.base);
  await until(page, 'window.seen.down !== undefined && window.seen.counts !== undefined');
  await page.locator('main ul li b').first().waitFor();
  const seen = seenFigures.parse(await page.evaluate('window.seen'));
  const all = number.parse(await page.evaluate('performance.now()'));
  await page.context().close();
  return [
    bounded('counts', 'ms', seen['counts'] ?? Number.NaN, 6_000),
    bounded('devices that are Down', 'ms', seen['down'] ?? Number.NaN, 6_000),
    bounded('the whole overview', 'ms', all, 60_000),
  ];
}
