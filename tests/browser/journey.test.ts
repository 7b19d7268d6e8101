import { retryBecause } from '@vantage/testing/retry';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { startTarget } from '../harness/target.ts';
import { violationsOf } from './browser.ts';
import { type Hands, keyboardOf, pointer } from './hands.ts';
import { useBrowser } from './system.ts';

const devices = z.array(z.object({ device_id: z.string() }));

const its = useBrowser();

type Judge = (page: Page) => Promise<void>;
const judge: Judge = async (page) => expect(await violationsOf(page)).toBe('');

const ways: readonly {
  readonly way: string;
  readonly width: number;
  readonly handsOf: (page: Page) => Hands;
  readonly judge: Judge;
}[] = [
  { way: 'with a pointer', width: 1280, handsOf: () => pointer, judge },
  { way: 'with a pointer, 390 px wide', width: 390, handsOf: () => pointer, judge },
  // The same screens at the same width are judged already.
  { way: 'with the keyboard alone', width: 1280, handsOf: keyboardOf, judge: async () => {} },
];

/** Signs in, at first with a key that does not exist. */
async function enter(page: Page, { press, fill }: Hands): Promise<void> {
  const { dashboard_url: base, api_key_uw: key } = its.system.quickstart();
  await page.goto(base);
  await fill(page.getByLabel('API key'), 'wrong');
  await press(page.getByRole('button', { name: 'Sign in' }));
  await page.getByText('Key, name or password is wrong').waitFor();
  await fill(page.getByLabel('API key'), key);
  await press(page.getByRole('button', { name: 'Sign in' }));
}

/** Signs out; nothing is shown without a key then. */
async function leave(page: Page, { press }: Hands, judge: Judge): Promise<void> {
  await press(page.getByRole('button', { name: 'Account' }));
  await press(page.getByRole('button', { name: 'Sign out' }));
  await page.getByLabel('API key').waitFor();
  await page.goto(`${its.system.quickstart().dashboard_url}devices`);
  await page.getByLabel('API key').waitFor();
  await judge(page);
}

/** The first visit asks for an address while there is no device. */
async function removeDevices(): Promise<void> {
  for (const { device_id } of devices.parse(await its.system.api.ok('GET', '/devices')))
    await its.system.api.ok('DELETE', `/devices/${device_id}`);
}

test.each(ways)(
  'a device is added by its address, fails without a reload, is opened, acknowledged and put in maintenance: $way',
  retryBecause('a busy machine adds to the time limits of a browser'),
  async ({ width, handsOf, judge }) => {
    await removeDevices();
    await using target = await startTarget();
    const page = await its.open({ width });
    const hands = handsOf(page);
    const { press, fill } = hands;
    await enter(page, hands);

    // The first visit: the field to paste an address into.
    await fill(page.getByLabel('Address'), `127.0.0.1:${target.port}`);
    await press(page.getByRole('button', { name: 'Add this device' }));
    await page.getByText('because of the port').waitFor();
    await fill(page.getByLabel('Name', { exact: true }), 'Router <b>&"\' in the cellar');
    // Before it is saved: tried once from here.
    await press(page.getByRole('button', { name: 'Try it' }));
    await page.getByRole('region', { name: 'Try it' }).getByText('connected to 127.0.0.1').waitFor();
    await judge(page);
    await press(page.getByRole('button', { name: 'Add this device' }));
    await page.getByRole('heading', { name: 'Router <b>&"\' in the cellar' }).waitFor();
    await page
      .getByRole('button', { name: /connected to 127\.0\.0\.1/ })
      .first()
      .waitFor();

    await press(page.getByRole('link', { name: 'Devices', exact: true }));
    const row = page.getByRole('row', { name: /Router/ });
    await row.getByText('Up', { exact: true }).waitFor();
    await judge(page);

    await target.stop();
    await row.getByText('Down', { exact: true }).waitFor();
    await expect.poll(() => page.title()).toBe('1 down · Vantage');
    await press(row.getByRole('link', { name: /Router/ }));
    await press(page.getByRole('button', { name: /connection refused/ }).first());
    await page.locator('button[aria-expanded=true] + div').getByText('connection refused').first().waitFor();
    await judge(page);

    await press(page.getByRole('link', { name: 'Alerts' }));
    // Until the alert is there, the closed ones of earlier devices with this name are shown.
    await press(page.locator('a:not([href*="state=closed"])', { hasText: /Router.*is Down/ }));
    await fill(page.getByLabel('Note, kept with the alert'), 'I am on it');
    await press(page.getByRole('button', { name: 'Acknowledge' }));
    await page.getByText('I am on it').first().waitFor();
    await judge(page);

    await press(page.getByRole('link', { name: 'Open device' }));
    // The events have a choice of the same name.
    await press(page.locator('button:not([aria-pressed])', { hasText: 'Maintenance' }));
    await fill(page.getByLabel('Reason'), 'a new cable');
    await judge(page);
    await press(page.getByRole('button', { name: 'Start maintenance' }));
    await page.getByText('Maint', { exact: true }).first().waitFor();
    await press(page.getByRole('link', { name: 'Overview' }));
    await page
      .getByText(/^until \d/)
      .first()
      .waitFor();

    await leave(page, hands, judge);
    expect(its.problems.join('\n')).toBe('');
  },
);
