import { readFileSync } from 'node:fs';
import { retryBecause } from '@vantage/testing/retry';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { browserMissing, moveTo, startBrowser, violationsInBothThemes, violationsOf } from './browser.ts';
import { keyboardOf } from './hands.ts';
import { useBrowser } from './system.ts';
import { openWindow, type Window } from './windows.ts';

const its = useBrowser();
const onBusyMachine = retryBecause('a busy machine adds to the time limits of a browser');

const created = z.object({ device_id: z.string() });
const names = ['Shop <b>&"front"', 'Mail', 'Router'] as const;

/** Ids of the devices, in the order of their names. */
const ids: string[] = [];

beforeAll(async () => {
  if (browserMissing !== undefined) return;
  const { api } = its.system;
  for (const Name of ['service/shop', 'service/mail', 'berlin']) await api.ok('POST', '/tags', { Name });
  for (const [at, FullName] of names.entries()) {
    const Tags = [['service/shop'], ['service/mail'], ['berlin']][at];
    const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: `r-${at}`, FullName, Frequency: 60, Tags };
    ids.push(created.parse(await api.ok('POST', '/devices', body)).device_id);
  }
});

const october = `span=2026-10`;

/** An outage as the API writes it. */
const outage = (at: number, more: object) => ({
  outage_id: at.toString(16).padStart(48, '0'),
  device_id: ids[0],
  ShortName: 'r-0',
  FullName: names[0],
  Start: '2026-10-11T21:14:00+02:00',
  End: '2026-10-12T01:20:12+02:00',
  Seconds: 14_772,
  Location: 'local',
  Locations: ['local'],
  CheckResult: '503 <i>Service</i> Unavailable',
  check_id: null,
  alert_id: null,
  Acknowledged: false,
  Behind: 0,
  Note: null,
  Excluded: false,
  ...more,
});

const figures = (more: object) => ({
  UpSeconds: 2_600_000,
  DownSeconds: 0,
  MaintenanceSeconds: 0,
  UnknownSeconds: 0,
  Outages: 0,
  Percent: 100,
  ExcludedSeconds: 0,
  ExcludedOutages: 0,
  ...more,
});

/** A month with everything in it: outages, one excluded, maintenance, Unknown. */
async function withOctober(page: Page): Promise<void> {
  const lists = await Promise.all(
    ids.map(async (id, at) => {
      const more = [
        { DownSeconds: 14_772, Outages: 1, UpSeconds: 2_585_228 },
        { ExcludedSeconds: 7_470, ExcludedOutages: 1, MaintenanceSeconds: 64_800 },
        { UnknownSeconds: 2_460 },
      ][at];
      return { device_id: id, ShortName: `r-${at}`, FullName: names[at], Uptime: figures(more ?? {}) };
    }),
  );
  await page.route(/\/v1\.1\/uptime\?(?!.*fmt=csv).*Timestamp1=2026-(09-30|10-01)/, (route) => {
    const wanted = new URL(route.request().url()).searchParams.get('Device')?.split(',') ?? [];
    return route.fulfill({ json: lists.filter(({ device_id }) => wanted.includes(device_id)) });
  });
  await page.route(/\/v1\.1\/devices\/[0-9a-f]+\/outages/, (route) => {
    const [, id] = /devices\/([0-9a-f]+)/.exec(route.request().url()) ?? [];
    const at = ids.indexOf(id ?? '');
    const excluded = {
      outage_id: 'e'.repeat(48),
      device_id: ids[1],
      FullName: names[1],
      Seconds: 7_470,
      Excluded: true,
      Note: 'planned, announced too late',
    };
    return route.fulfill({ json: at === 0 ? [outage(1, {})] : at === 1 ? [outage(2, excluded)] : [] });
  });
}

async function openReport(query: string, window: Window = {}, open = its.open): Promise<Page> {
  const page = await open(window);
  await its.signIn(page);
  await withOctober(page);
  await page.goto(`${its.base}reports?${query}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

test('a report says the percentage in a sentence and why', onBusyMachine, async () => {
  const page = await openReport(`${october}&objective=99.9`);
  // 7,785,228 of 7,800,000 seconds.
  await page.getByRole('heading', { name: 'All 3 devices were up 99.810 % of October 2026' }).waitFor();
  await page.getByText('kept by 2 of 3 devices').waitFor();
  const groups = page.getByRole('region', { name: 'By group, worst first' }).getByRole('row');
  expect(
    (await groups.allTextContents()).slice(1).map((text) => /^(service|berlin)/.exec(text)?.[0]),
  ).toEqual(['service', 'berlin']);
  await page
    .getByRole('region', { name: 'Outages' })
    .first()
    .getByText('503 <i>Service</i> Unavailable')
    .waitFor();
  const excluded = page.getByRole('region', { name: 'Excluded outages' });
  await excluded.getByText('planned, announced too late').waitFor();
  await page.getByText('How it is counted.').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  await page.getByRole('button', { name: 'Note on the outage of Mail' }).click();
  await page.getByLabel('Note, one line').waitFor();
  expect(await violationsInBothThemes(page)).toBe('');
  expect(its.problems).toEqual([]);
});

test('by keyboard: another span, a branch of tags, an objective; the address shows the same elsewhere', async () => {
  const page = await openReport('');
  await expect.poll(() => new URL(page.url()).searchParams.get('span')).toMatch(/^\d{4}-\d\d$/);
  const hands = keyboardOf(page);
  // Who goes on before the address has its span is not brought back.
  await page.evaluate(`(async () => {
    for (const to of ['/reports', '/reports?${october}']) {
      history.pushState(null, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
      await new Promise((done) => setTimeout(done));
    }
  })()`);
  await page.getByRole('heading', { name: /of October 2026/ }).waitFor();
  await page.keyboard.press('[');
  await page.getByRole('heading', { name: /September 2026/ }).waitFor();
  await page.keyboard.press(']');
  await page.getByRole('heading', { name: /October 2026/ }).waitFor();
  await hands.fill(page.getByLabel('Devices'), 'tag:service/*');
  await page.keyboard.press('Enter');
  // Maintenance and the excluded outage are more than a hundredth of the time.
  const sentence =
    'service was up 99.715 % of the 98.6 % of the time observed outside maintenance in October 2026';
  await page.getByRole('heading', { name: sentence }).waitFor();
  await hands.fill(page.getByLabel('Objective, %'), '99.99');
  await page.keyboard.press('Enter');
  await page.getByText('kept by 1 of 2 devices').waitFor();
  await hands.press(page.getByRole('button', { name: 'Other days' }));
  await hands.fill(page.getByLabel('From'), '10012026');
  await page.keyboard.press('Enter');
  await page
    .getByRole('heading', { name: /observed outside maintenance from 1 to 31 October 2026/ })
    .waitFor();
  const link = page.url();
  expect(new URL(link).search).toBe('?span=2026-10-01..2026-10-31&q=tag%3Aservice%2F*&objective=99.99');
  const sheet = await page.locator('article').textContent();
  await page.reload();
  await page
    .getByRole('heading', { name: /observed outside maintenance from 1 to 31 October 2026/ })
    .waitFor();
  const without = (text: string | null) => text?.replace(/Created on.*/s, '');
  expect(without(await page.locator('article').textContent())).toBe(without(sheet));
});

test('the CSV is that of the API, byte for byte', onBusyMachine, async () => {
  const page = await openReport('span=2026-10-01..2026-10-02');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('uptime-2026-10-01..2026-10-02.csv');
  const query = `Device=${ids.join(',')}&Timestamp1=2026-10-01T00:00:00&Timestamp2=2026-10-03T00:00:00`;
  const expected = await page.evaluate(
    `fetch('/v1.1/uptime?${query}&fmt=csv').then((answer) => answer.text())`,
  );
  expect(readFileSync(await download.path(), 'utf8')).toBe(expected);
  expect(its.problems).toEqual([]);
});

test(
  'on paper it is light, has its own sheets without controls, and the address',
  onBusyMachine,
  async ({ onTestFinished }) => {
    // Chromium without windows lays out later pages by the sheet of a PDF, so this one has a browser of its own.
    const own = await startBrowser();
    onTestFinished(() => own.close());
    const page = await openReport(october, { theme: 'dark' }, (window) =>
      openWindow(own, its.problems, window),
    );
    // The heading stands before the report does, and what is not there yet is hidden, too.
    await page.getByRole('button', { name: 'Print' }).waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('button', { name: 'Print' }).waitFor({ state: 'hidden' });
    await page.getByRole('navigation').waitFor({ state: 'hidden' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    await page.getByText(`reports?${october}`).waitFor();
    const pdf = await page.pdf({ preferCSSPageSize: true });
    expect(pdf.toString('latin1')).toMatch(/\/Count \d/);
  },
);

test('what has not begun, fits nothing or is no span is said in a sentence', onBusyMachine, async () => {
  const page = await openReport('span=2031-01');
  await page.getByRole('heading', { name: 'January 2031 has not begun' }).waitFor();
  await moveTo(page, `/reports?${october}&q=tag:nothing`);
  await page.getByRole('heading', { name: 'No device matches.' }).waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'All devices' }).click();
  await page.getByRole('heading', { name: /All 3 devices/ }).waitFor();
  await moveTo(page, '/reports?span=soon&objective=lots');
  await page.getByRole('heading', { name: 'The address names no valid span' }).waitFor();
  await page.getByText('An objective is a percentage').waitFor();
  expect(await violationsOf(page)).toBe('');
});

test('what failed is said with its code, and trying again shows the report', onBusyMachine, async () => {
  const page = await its.open();
  await its.signIn(page);
  const problem = { code: 1050, message: 'The database does not answer.' };
  await page.route(/\/v1\.1\/uptime/, (route) => route.fulfill({ status: 503, json: problem }));
  await page.goto(`${its.base}reports?${october}`);
  await page.getByRole('alert').getByText('The database does not answer.').waitFor();
  await page.getByText('Code 1050').waitFor();
  await page.unroute(/\/v1\.1\/uptime/);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: /October 2026/ }).waitFor();
});

test(
  'a key that only views sees the report and cannot change an outage; 390 px do not scroll sideways',
  onBusyMachine,
  async () => {
    const page = await its.open({ width: 390 });
    await its.signIn(page, its.system.quickstart().api_key_ur);
    await withOctober(page);
    await page.goto(`${its.base}reports?${october}`);
    await page.getByRole('heading', { name: /October 2026/ }).waitFor();
    expect(await page.getByRole('button', { name: /Note/ }).count()).toBe(0);
    // The styles of the screen may come after its first words.
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await violationsOf(page)).toBe('');
  },
);

test(
  'the reports of a device and of selected devices open where these are shown',
  onBusyMachine,
  async () => {
    const page = await openReport(october);
    await moveTo(page, `/devices/${ids[0]}`);
    await page.getByRole('link', { name: 'Report', exact: true }).click();
    await page.getByText('1 device chosen').waitFor();
    expect(new URL(page.url()).searchParams.get('devices')).toBe(ids[0]);
    await moveTo(page, '/devices');
    for (const name of ['Mail', 'Router'])
      await page.getByRole('checkbox', { name: `select ${name}` }).check();
    await page.getByRole('button', { name: 'Report' }).click();
    await page.getByText('2 devices chosen').waitFor();
    await moveTo(page, `/reports?${october}&q=colour:red`);
    await page.getByText('The filter does not know colour:').waitFor();
  },
);

test('a report is set to be sent monthly, by keyboard, to a contact that takes mail, and is deleted again', async () => {
  const { api } = its.system;
  await api.ok('POST', '/contacts', { Name: 'Board', Type: 'email', Address: 'board@example.org' });
  const page = await openReport(october);
  await page.getByRole('button', { name: 'Send a report monthly' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Send a report monthly' });
  await dialog.getByLabel('Name', { exact: true }).fill('Services');
  await dialog.getByLabel('Devices with these tags').fill('service/*');
  await dialog.getByLabel('Objective, %').fill('99.9');
  expect(await violationsOf(page)).toBe('');
  await page.keyboard.press('Enter');
  const row = page.getByRole('listitem').filter({ hasText: 'Services' });
  await row.getByText('to Board').waitFor();
  expect(await row.textContent()).toContain('devices tagged service/*');
  const [stored] = z
    .array(z.object({ Name: z.string(), Objective: z.number(), LastMonth: z.null() }))
    .parse(await api.ok('GET', '/reports'));
  expect(stored).toMatchObject({ Name: 'Services', Objective: 99.9 });
  await row.getByRole('button', { name: 'Edit the monthly report Services' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No report is sent monthly yet.').waitFor();
  expect(await api.ok('GET', '/reports')).toEqual([]);
});
