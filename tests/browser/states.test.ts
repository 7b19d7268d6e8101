import { retryBecause } from '@vantage/testing/retry';
import type { Disposable, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { moveTo, violationsOf } from './browser.ts';
import { adminKey, useBrowser } from './system.ts';

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
  await page.getByRole('heading', { name: 'What do you want to monitor?' }).waitFor();
  await moveTo(page, '/devices');
  await page.getByText('There are no devices yet.').waitFor();
  expect(await page.getByRole('link', { name: 'Add a device' }).count()).toBeGreaterThan(0);
  for (const [path, words] of [
    ['schedules', 'There are no schedules yet'],
    ['schedules/maintenance', 'There is no maintenance in this time.'],
    ['schedules/contacts', 'There are no contacts yet'],
    ['reports', 'There are no devices yet'],
    ['status-pages', 'There are no status pages yet.'],
  ] as const) {
    await moveTo(page, `/${path}`);
    await page.getByText(words).first().waitFor();
  }
  const viewer = await openAt('/', undefined, its.system.quickstart().api_key_ur);
  await viewer.getByText('There are no devices yet.').waitFor();
  await moveTo(viewer, '/devices/new');
  await viewer.getByText('You can view, not change.').waitFor();
  expect(await viewer.getByRole('button', { name: /Add/ }).count()).toBe(0);
  expect(await violationsOf(viewer)).toBe('');
});

test('loading: the shape of rows, and nothing jumps when the rows come', async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let watch: Disposable | undefined;
  const page = await openAt('/devices', async (opened) => {
    watch = await opened.addInitScript(`window.jumps = 0;
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
  await watch?.dispose();
});

test('error: what failed and its code; trying again shows the rows', async () => {
  const problem = { code: 1050, message: 'The database does not answer.' };
  let isBroken = true;
  const page = await openAt('/devices', (opened) =>
    opened.route(states, (route) =>
      isBroken ? route.fulfill({ status: 503, json: problem }) : answerRows(3)(route),
    ),
  );
  await page.getByRole('alert').getByText('The database does not answer.').waitFor();
  await page.getByText('Code 1050').waitFor();
  expect(await violationsOf(page)).toBe('');
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'switch 0' }).waitFor();
});

test('a screen whose module did not come: trying again shows it', async () => {
  const page = await openAt('/');
  await page.getByText('Live').waitFor();
  const module = /\/assets\/reports-[^/]+\.js$/;
  await page.route(module, (route) => route.abort());
  await page.getByRole('link', { name: 'Reports' }).click();
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await page.unroute(module);
  const loaded = page.waitForResponse((answer) => module.test(answer.url()) && answer.ok());
  await page.getByRole('button', { name: 'Try again' }).click();
  await loaded;
  await page.getByRole('heading', { level: 1 }).waitFor();
});

test('no match: the filter is repeated, and the next wider one is offered', async () => {
  const page = await openAt('/devices?q=tag:oslo%20nothing', (opened) => opened.route(states, answerRows(9)));
  await page.getByText('No device matches').waitFor();
  await page.getByRole('button', { name: 'Show all devices' }).click();
  await page.getByText('9 devices').waitFor();
});

test('a computer that slept: the head says how old everything is, and the stream is opened again at once', async () => {
  const page = await its.open();
  await page.clock.install();
  await its.signIn(page);
  await page.goto(its.base);
  await page.getByText('Live').waitFor();
  // The network comes back later than the page. It does not close the stream, so nobody reports its end.
  const network = /\/v1\.1\//;
  await page.route(network, (route) => route.abort());
  await page.clock.fastForward(3 * 3_600_000);
  await page.getByText(/No news for 3/).waitFor();
  await page.getByText('The controller does not answer.').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.unroute(network);
  // The page tries again by itself, too: where it does so first, there is no button any more.
  const button = page.getByRole('button', { name: 'Try now' });
  await button.click({ timeout: 5_000 }).catch(async () => expect(await button.count()).toBe(0));
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
  await page.getByText('a newer version of this page').waitFor();
  expect(await violationsOf(page)).toBe('');
  await page.unroute(its.base);
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('Live').waitFor();
  expect(await page.getByText('a newer version of this page').count()).toBe(0);
  expect(its.problems.join('\n')).toBe('');
});

test('many: the controller previews the change, and devices that it does not know are named', async () => {
  const page = await openAt('/devices?q=tag:berlin/*', (opened) => opened.route(states, answerRows(300)));
  await page.getByText('150 devices').waitFor();
  await page.getByRole('checkbox', { name: 'select all 150 that match' }).check();
  await page.getByText('All 150 that match').waitFor();
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('150 that match tag:berlin/*').waitFor();
  await dialog.getByText('1 Down', { exact: true }).waitFor();
  await dialog.getByText('150 devices deleted meanwhile').waitFor();
  expect(await violationsOf(page)).toBe('');
  expect(await dialog.getByRole('button', { name: 'Pause 0 devices' }).isDisabled()).toBe(true);
});

test('many addresses are pasted; what the API refuses stays in the field with its reason', async () => {
  const page = await openAt('/devices/new/many');
  await page
    .getByLabel('Addresses, one per line')
    .fill('127.0.0.1:1; <img src=x onerror="throw 1">; web/x\nhttp://bad host/; Other\n127.0.0.1:1\n');
  await page.getByText('1 repeated line is left out').waitFor();
  await page.getByRole('button', { name: 'Add 2 devices' }).click();
  await page.getByText('1 device added. Refused, and kept in the field: 1').waitFor();
  expect(await page.getByLabel('Addresses, one per line').inputValue()).toBe('http://bad host/; Other');
  expect(await violationsOf(page)).toBe('');
  await moveTo(page, '/devices?q=tag:web/*');
  await page.getByRole('link', { name: '<img src=x' }).waitFor();
  expect(its.problems.join('\n')).toBe('');
});

/** The screens of those who plan and account for it, and an answer that each needs. */
const planning = [
  ['schedules', 'nschedules'],
  ['schedules/maintenance', 'maintenance'],
  ['schedules/contacts', 'contacts'],
  ['reports', 'uptime'],
  ['status-pages', 'pages'],
  ['people', 'users'],
  ['account', 'account/limits'],
  ['audit', 'audit'],
] as const;

test('planning: rows have a shape while they load, a failure has its code, and trying again shows the rows', async () => {
  const device = { Method: 'TCP', URL: '127.0.0.1:9', ShortName: 'planned', Frequency: 60 };
  await its.system.api.ok('POST', '/devices', device);
  const page = await openAt('/', undefined, adminKey);
  await page.getByText('Live').waitFor();
  for (const [path, resource] of planning) {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const asked = new RegExp(`/v1\\.1/${resource}(\\?|$)`);
    await page.route(asked, async (route) => {
      await released;
      const problem = { code: 1050, message: 'The database does not answer.' };
      await route.fulfill({ status: 503, json: problem });
    });
    await moveTo(page, `/${path}`);
    await page.getByRole('status', { name: 'Loading' }).locator('i').first().waitFor();
    release();
    const alert = page.getByRole('alert').filter({ hasText: 'The database does not answer.' });
    await alert.getByText('Code 1050').waitFor();
    expect([path, await violationsOf(page)]).toEqual([path, '']);
    await page.unroute(asked);
    // The page reads again by itself, too: each minute, and after an event. Then there is no button any more.
    await alert
      .getByRole('button', { name: 'Try again' })
      .click({ timeout: 20_000 })
      .catch(async () => expect([path, await alert.count()]).toEqual([path, 0]));
    await alert.waitFor({ state: 'detached' });
  }
}, 180_000);

test('planning: a key that only views finds nothing to change, and reads why where a screen is closed to it', async () => {
  const page = await openAt('/', undefined, its.system.quickstart().api_key_ur);
  await page.getByText('Live').waitFor();
  const found: string[] = [];
  for (const [path] of planning) {
    await moveTo(page, `/${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
    const change = /^(Add|New|Make|Invite|Save|Send|Edit|Delete|Test)\b/;
    for (const role of ['button', 'link'] as const)
      for (const name of await page.getByRole('main').getByRole(role, { name: change }).allTextContents())
        found.push(`${path}: ${name}`);
  }
  expect(found).toEqual([]);
  await moveTo(page, '/people');
  await page.getByText('Only a key or person of level UA').waitFor();
});

/** Forms of those who plan: a field, and the button that saves. */
const forms = [
  ['schedules/new', 'Name', 'Create this schedule'],
  ['schedules/contacts/new', 'Name', 'Add this contact'],
  ['status-pages/new', 'Name', 'Create the page'],
] as const;

test('planning: a form keeps its texts without a network and after the session has ended', {
  ...retryBecause('a busy machine adds to the time limits of a browser'),
  timeout: 180_000,
}, async () => {
  const page = await its.open();
  await its.signIn(page);
  await page.goto(its.base);
  for (const [path, label, save] of forms) {
    await page.getByText('Live').waitFor();
    await moveTo(page, `/${path}`);
    await page.getByText('Live').waitFor();
    const field = page.getByLabel(label, { exact: true }).first();
    await field.fill('What somebody typed');
    const button = page.getByRole('button', { name: save });
    const press = async () => {
      if (await button.isEnabled()) await button.click();
    };
    await page.context().setOffline(true);
    await press();
    await page.getByText('The controller does not answer.').first().waitFor();
    expect(await field.inputValue()).toBe('What somebody typed');
    expect([path, await violationsOf(page)]).toEqual([path, '']);
    await page.context().setOffline(false);
    await page.getByText('Live').waitFor();
    await page.evaluate(`fetch('/v1.1/session').then((answer) => answer.json()).then(({ CsrfToken }) =>
      fetch('/v1.1/session', { method: 'DELETE', headers: { 'X-CSRF-Token': CsrfToken } }))`);
    // The stream of events may notice it first; then the dialog covers the button.
    const ended = page.getByText('Your session has ended').waitFor();
    await Promise.race([ended, press()]);
    await ended;
    await page.getByLabel('API key').fill(its.system.quickstart().api_key_uw);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Your session has ended').waitFor({ state: 'detached' });
    expect(await field.inputValue()).toBe('What somebody typed');
  }
});
