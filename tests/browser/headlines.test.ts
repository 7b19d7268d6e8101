import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AccountFixture, hardWorlds } from '../../apps/dashboard/src/testing/account-fixture.ts';
import { answerFor } from '../../apps/dashboard/src/testing/fake-api.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { moveTo, violationsInBothThemes } from './browser.ts';
import { useBrowser } from './system.ts';

// Statements about a whole account, of accounts that are larger than a page of the API.

const its = useBrowser();
const issued = z.object({ key: z.string() });
const [behindMasters, inMaintenance, manyLocations, fullDisk] = hardWorlds as readonly [
  AccountFixture,
  AccountFixture,
  AccountFixture,
  AccountFixture,
];

/** A window in which the API answers for a world. The session and the stream are those of the system. */
async function openWorld(given: AccountFixture, path = '/'): Promise<Page> {
  const page = await its.open();
  // The world as it is now: the stream says the true time, too.
  const laterMs = Date.now() - given.serverMs;
  const world: AccountFixture = {
    ...given,
    serverMs: Date.now(),
    devices: given.devices.map((device) => ({ ...device, sinceMs: device.sinceMs + laterMs })),
  };
  await page.route(/\/v1\.1\/(?!session|events\?stream)/, async (route) => {
    const answer = answerFor(world, new Request(route.request().url()));
    const headers = Object.fromEntries(answer.headers);
    await route.fulfill({ status: answer.status, headers, body: await answer.text() });
  });
  await its.signIn(page);
  await page.goto(new URL(path, its.base).href);
  return page;
}

const badge = (page: Page) => page.getByRole('navigation', { name: 'Main' }).locator('[class*=badge]');

test('two masters Down with 180 devices behind them: two open alerts, and each cause has its reason and its button', async () => {
  const page = await openWorld(behindMasters);
  await page.getByRole('heading', { level: 1, name: '182 devices are down, 2 causes' }).waitFor();
  expect(await badge(page).textContent()).toBe('2');
  await expect.poll(() => page.title()).toBe('182 down · Vantage');
  expect(await page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(2);
  for (const reason of ['result 0', 'result 1']) await page.getByText(reason, { exact: true }).waitFor();
  expect(await page.getByText('Notified', { exact: true }).count()).toBe(2);
  await moveTo(page, '/alerts');
  await page.getByRole('heading', { level: 1, name: '2 open alerts' }).waitFor();
  // The symptoms are one line of their cause.
  const symptoms = page.getByRole('button', { name: /^d-2 and 179 more are Down because of it/ });
  await symptoms.click();
  expect(await page.getByRole('link', { name: '130 more' }).first().getAttribute('href')).toBe(
    '/alerts?suppressed=yes',
  );
  expect(await violationsInBothThemes(page)).toBe('');
});

test('a master in maintenance: of 250 suppressed alerts the causes that are shown have theirs', async () => {
  const page = await openWorld(inMaintenance);
  await page.getByRole('heading', { level: 1, name: '250 devices are down, 250 causes' }).waitFor();
  await expect.poll(() => page.getByText(/^result \d+$/).count()).toBe(15);
  expect(await badge(page).isHidden()).toBe(true);
});

test('of 120 Locations the last by name is online: no headline says that nothing is observed', async () => {
  const page = await openWorld(manyLocations);
  const offline = manyLocations.locations.filter(({ isOnline }) => !isOnline).length;
  await page.getByRole('heading', { level: 1, name: `${offline} Locations are offline` }).waitFor();
  await page.getByText('300 devices at 120 Locations').waitFor();
  await moveTo(page, '/devices/new');
  await page.getByPlaceholder('Find a Location').fill('local');
  await page.getByRole('option', { name: 'local', exact: true }).waitFor();
});

test('a disk that is nearly full keeps the overview and the wall from saying that all is quiet', async () => {
  const page = await openWorld(fullDisk);
  await page.getByRole('heading', { level: 1, name: '1 open alert' }).waitFor();
  await page.getByText('The disk of Vantage is nearly full').waitFor();
  await moveTo(page, '/wall');
  await page.getByRole('heading', { level: 1, name: 'Nothing is down' }).waitFor();
  await page.getByText('1 open alert').waitFor();
});

test('a browser whose clock is an hour ahead shows ages by the clock of the server', async () => {
  const page = await its.open();
  await page.clock.install({ time: Date.now() + 3_600_000 });
  const body = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'fresh', Frequency: 1, Attempts: 1 };
  await its.system.api.ok('POST', '/devices', body);
  await its.signIn(page);
  await page.goto(its.base);
  await page.getByText(/is down\s+for \d+\s(s|min)/).waitFor();
  await page.context().close();
});

test('who signs out while the devices are read leaves nothing for the next account of the browser', async () => {
  const operate = async (...args: string[]) =>
    JSON.parse(
      (await runVantage([...args, '--json'], { env: { VANTAGE_DATA: its.system.dataDir } })).stdout,
    ) as unknown;
  await operate('accounts', 'create', 'second');
  const { key } = issued.parse(await operate('keys', 'issue', '--account', 'second'));
  const page = await its.open();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(
    /\/v1\.1\/states/,
    async (route) => {
      const answer = await route.fetch();
      await released;
      // The page may have aborted it.
      await route.fulfill({ response: answer }).catch(() => {});
    },
    { times: 1 },
  );
  await its.signIn(page);
  const asked = page.waitForRequest(/\/v1\.1\/states/);
  await page.goto(its.base);
  await asked;
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Live').waitFor();
  release();
  await page.getByRole('heading', { level: 1, name: /There are no devices yet|What do you want/ }).waitFor();
  await moveTo(page, '/devices');
  await page.getByText('There are no devices yet.').waitFor();
  expect(await page.getByText('fresh').count()).toBe(0);
});

test('who signs out in one tab is signed out in the other one', async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(its.base);
  await page.getByText('Live').waitFor();
  const other = await page.context().newPage();
  await other.goto(its.base);
  await other.getByText('Live').waitFor();
  await other.getByRole('button', { name: 'Account' }).click();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('API key').waitFor();
  expect(await page.getByText('fresh').count()).toBe(0);
  await other.close();
});
