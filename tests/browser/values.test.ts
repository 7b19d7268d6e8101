import { retryBecause } from '@vantage/testing/retry';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const created = z.object({ device_id: z.string() });
const its = useBrowser();
const busy = retryBecause('a busy machine adds to the time limits of a browser');

async function openDevice(script: string, width: number): Promise<Page> {
  const body = { Method: 'Script', URL: script, ShortName: 'measured', Frequency: 1, Timeout: 60 };
  const { device_id: id } = created.parse(await its.system.api.ok('POST', '/devices', body));
  const checks = z.array(z.object({ ResultCode: z.number() }));
  await expect
    .poll(async () => checks.parse(await its.system.api.ok('GET', `/devices/${id}/checks`)).length)
    .toBeGreaterThan(1);
  const page = await its.open({ width });
  await its.signIn(page);
  await page.goto(`${its.base}devices/${id}`);
  await page.getByRole('heading', { name: 'Values', exact: true }).waitFor();
  return page;
}

const section = (page: Page) => page.getByRole('region', { name: 'Values', exact: true });

test(
  'the values of a device have a chart each with the newest value, and an opened check lists its own',
  busy,
  async () => {
    const page = await openDevice(
      "value('queue, orders', 12.5, 'jobs'); value('traffic', 8_234_000_000, 'bit/s');",
      1280,
    );
    const chart = section(page).locator('figure svg');
    await chart.getByText('traffic', { exact: true }).waitFor();
    await chart.getByText('queue, orders', { exact: true }).waitFor();
    await chart.getByText(/^8\.23\sGbit\/s, .* ago$/).waitFor();
    await section(page).getByText('All 2 values as a table').click();
    await section(page)
      .getByRole('row', { name: /queue, orders.*12\.5\sjobs/ })
      .waitFor();
    expect(await violationsOf(page)).toBe('');
    await page.getByLabel('by outcome').uncheck();
    await page
      .getByRole('button', { name: /the script ended well/ })
      .first()
      .click();
    const opened = page.locator('button[aria-expanded=true] + div');
    await opened.getByRole('heading', { name: 'Values' }).waitFor();
    await opened.getByText('8.23\u00a0Gbit/s').waitFor();
    expect(await violationsOf(page)).toBe('');
    expect(its.problems.join('\n')).toBe('');
  },
);

test(
  'of more than six values six have a chart; the table chooses them, and the address has the choice',
  busy,
  async () => {
    const page = await openDevice(
      "for (let n = 1; n <= 14; n += 1) value('port ' + n + ', in', n, 'bit/s');",
      390,
    );
    await section(page).getByText('6 of 14 shown').waitFor();
    await section(page).getByText('Choose from 14 values').click();
    const box = (n: number) =>
      section(page).getByRole('checkbox', { name: `Chart of port ${n}, in`, exact: true });
    await box(14).waitFor();
    expect(await box(14).isDisabled()).toBe(true);
    await box(1).uncheck();
    await box(14).check();
    await section(page).locator('figure svg').getByText('port 14, in', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('values')).toContain('port 14\\, in');
    await section(page).getByLabel('Label contains').fill('port 13');
    await expect.poll(() => section(page).getByRole('checkbox').count()).toBe(1);
    await page.reload();
    await section(page).locator('figure svg').getByText('port 14, in', { exact: true }).waitFor();
    expect(await section(page).locator('figure svg').getByText('port 1, in', { exact: true }).count()).toBe(
      0,
    );
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    expect(await violationsOf(page)).toBe('');
    expect(its.problems.join('\n')).toBe('');
  },
);

test('a device without values has no such section', busy, async () => {
  const page = await openDeviceWithout();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('region', { name: 'Time range' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Values', exact: true }).count()).toBe(0);
});

async function openDeviceWithout(): Promise<Page> {
  const body = { Method: 'Script', URL: 'log(1)', ShortName: 'silent', Frequency: 1, Timeout: 60 };
  const { device_id: id } = created.parse(await its.system.api.ok('POST', '/devices', body));
  const page = await its.open({ width: 1280 });
  await its.signIn(page);
  await page.goto(`${its.base}devices/${id}`);
  return page;
}
