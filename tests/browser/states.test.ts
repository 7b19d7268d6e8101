import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();

const states = /\/v1\.1\/states/;

/** Rows as the API writes them. */
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    device_id: at.toString(16).padStart(48, '0'),
    ShortName: `d${at}`,
    FullName: `switch ${at}`,
    Method: 'PING',
    Status: at === 0 ? 'Down' : 'Up',
    StatusSince: '2026-02-25T23:38:03+01:00',
    Enabled: true,
    Retrying: false,
    Severity: 'critical',
    MaintenanceUntil: null,
    DownBecause: null,
    Tags: [{ tag_id: '0'.repeat(48), Name: at % 2 === 0 ? 'berlin/rack-1' : 'oslo' }],
    Locations: [],
    LastCheck: null,
    Day: `${'?'.repeat(10)}${'U'.repeat(62)}`,
  }));
/** No URL of them has the text of a search. */
const answerRows = (count: number) => (route: Route) => {
  const isSearch = new URL(route.request().url()).searchParams.has('Search');
  const json = isSearch ? [] : rowsOf(count);
  return route.fulfill({ json, headers: { 'Vantage-Revision': 'r-1' } });
};

/** A signed-in window at a screen, before which `prepare` changes what the network answers. */
async function openAt(
  path: string,
  prepare: (page: Page) => Promise<unknown> = () => Promise.resolve(),
  key?: string,
): Promise<Page> {
  const page = await its.open();
  await its.signIn(page, key);
  await prepare(page);
  await page.goto(new URL(path, its.base).href);
  return page;
}

test('empty: what to do first, and for a key that only views neither the form nor a button', async () => {
  const page = await openAt('/');
  await page.getByRole('heading', { name: 'What do you want to watch?' }).waitFor();
  await page.goto(`${its.base}devices`);
  await page.getByText('There is no device yet.').waitFor();
  expect(await page.getByRole('link', { name: 'Add a device' }).count()).toBeGreaterThan(0);
  await page.context().close();
  const viewer = await openAt('/', undefined, its.system.quickstart().api_key_ur);
  await viewer.getByText('There is no device yet.').waitFor();
  await viewer.goto(`${its.base}devices/new`);
  await viewer.getByText('This key only views.').waitFor();
  expect(await viewer.getByRole('button', { name: /Add/ }).count()).toBe(0);
  expect(await violationsOf(viewer)).toBe('');
  await viewer.context().close();
});

test('loading: the shape of rows, and nothing jumps when the rows come', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const page = await openAt('/devices', async (opened) => {
    await opened.addInitScript(`window.jumps = 0;
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) window.jumps += value;
      }).observe({ type: 'layout-shift', buffered: true })`);
    await opened.route(states, async (route) => {
      await released;
      await answerRows(300)(route);
    });
  });
  await page.getByRole('status', { name: 'Loading' }).locator('i').first().waitFor();
  release();
  await page.getByRole('link', { name: 'switch 0' }).waitFor();
  expect(Number(await page.evaluate('window.jumps'))).toBeLessThan(0.02);
  await page.context().close();
});

test('error: what failed and its code; trying again shows the rows', async () => {
  const problem = { code: 1050, message: 'The database does not answer.' };
  const page = await openAt('/devices', (opened) =>
    opened.route(states, (route) => route.fulfill({ status: 503, json: problem })),
  );
  await page.getByRole('alert').getByText('The database does not answer.').waitFor();
  await page.getByText('Code 1050').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.unroute(states);
  await page.route(states, answerRows(3));
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'switch 0' }).waitFor();
  await page.context().close();
});

test('no match: the filter is repeated, and the next wider one is offered', async () => {
  const page = await openAt('/devices?q=tag:oslo%20nothing', (opened) => opened.route(states, answerRows(9)));
  await page.getByText('No device matches').waitFor();
  await page.getByRole('button', { name: 'Show all devices' }).click();
  await page.getByText('9 devices').waitFor();
  await page.context().close();
});

test('a computer that slept: the head says how old everything is, and the stream is opened again at once', async () => {
  const page = await its.open();
  await page.clock.install();
  await its.signIn(page);
  await page.getByText('Live').waitFor();
  // The network comes back later than the page. It does not close the stream, so nobody reports its end.
  const stream = /\/v1\.1\/events\?stream/;
  await page.route(stream, (route) => route.abort());
  await page.clock.fastForward(3 * 3_600_000);
  await page.getByText(/No news for 3/).waitFor();
  await page.getByText('The controller does not answer.').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.unroute(stream);
  await page.getByRole('button', { name: 'Try now' }).click();
  await page.getByText('Live').waitFor();
  await page.getByText('The controller does not answer.').waitFor({ state: 'detached' });
  await page.context().close();
});

test('offline: it is said at once, what is shown stays, and it goes on when the network is back', async () => {
  const page = await openAt('/devices', (opened) => opened.route(states, answerRows(3)));
  await page.getByRole('link', { name: 'switch 0' }).waitFor();
  await page.getByText('Live').waitFor();
  await page.context().setOffline(true);
  await page.getByText('The controller does not answer.').waitFor();
  expect(await page.getByRole('link', { name: /switch/ }).count()).toBe(3);
  expect(await violationsOf(page)).toBe('');
  await page.context().setOffline(false);
  await page.getByText('Live').waitFor();
  await page.getByText('The controller does not answer.').waitFor({ state: 'detached' });
  await page.context().close();
});

test('a controller with another version of the page asks for a reload', async () => {
  const page = await openAt('/devices');
  await page.getByText('Live').waitFor();
  await page.route(its.base, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ body: (await answer.text()).replace(/index-[\w-]+\.js/, 'index-other.js') });
  });
  await page.context().setOffline(true);
  await page.getByText(/No news/).waitFor();
  await page.context().setOffline(false);
  await page.getByText('another version of this page').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.unroute(its.base);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('Live').waitFor();
  expect(await page.getByText('another version of this page').count()).toBe(0);
  expect(its.problems.join('\n')).toBe('');
  await page.context().close();
});

test('many: the preview says what will happen, and what the API refuses is told', async () => {
  const page = await openAt('/devices?q=tag:berlin/*', (opened) => opened.route(states, answerRows(300)));
  await page.getByText('150 devices').waitFor();
  await page.getByRole('checkbox', { name: 'select all 150 that match' }).check();
  await page.getByText('All 150 that match').waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.getByText('all 150 that match tag:berlin/*').waitFor();
  await page.getByText('1 Down', { exact: true }).waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.getByRole('button', { name: 'Pause 150 devices' }).click();
  await page.getByText(/0 devices changed, 150 refused/).waitFor();
  await page.context().close();
});

test('many addresses are pasted; what the API refuses stays in the field with its reason', async () => {
  const page = await openAt('/devices/new/many');
  await page
    .getByLabel('Addresses, one a line')
    .fill('127.0.0.1:1; <img src=x onerror="throw 1">; web/x\nhttp://bad host/; Other\n127.0.0.1:1\n');
  await page.getByText('1 repeated line is left out').waitFor();
  await page.getByRole('button', { name: 'Add 2 devices' }).click();
  await page.getByText('1 device added. Refused, and kept in the field: 1').waitFor();
  expect(await page.getByLabel('Addresses, one a line').inputValue()).toBe('http://bad host/; Other');
  expect(await violationsOf(page)).toBe('');
  await page.goto(`${its.base}devices?q=tag:web/*`);
  await page.getByRole('link', { name: '<img src=x' }).waitFor();
  expect(its.problems.join('\n')).toBe('');
  await page.context().close();
});
