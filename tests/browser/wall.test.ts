import type { Page, Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { violationsOf } from './browser.ts';
import { useBrowser } from './system.ts';

const its = useBrowser();

const idOf = (at: number) => at.toString(16).padStart(48, '0');
const since = '2026-02-25T23:38:03+01:00';

/** Rows as the API writes them: some that are Down of themselves, one of them with devices behind it. */
const rowsOf = (down: number) => [
  ...Array.from({ length: down }, (_, at) =>
    rowOf(at, `router ${at} in the cellar of the long building`, 'Down'),
  ),
  ...(down === 0 ? [] : [rowOf(500, 'behind', 'Down', { DownBecause: idOf(0) })]),
  rowOf(600, 'camera', 'Unknown', { Locations: [{ location_id: idOf(9), Name: 'Oslo' }] }),
  rowOf(700, 'mail', 'Maint', { MaintenanceUntil: '2026-02-25T23:58:03+01:00' }),
  rowOf(800, 'web', 'Up'),
];

function rowOf(at: number, FullName: string, Status: string, more: object = {}) {
  return {
    device_id: idOf(at),
    ShortName: `d${at}`,
    FullName,
    Method: 'PING',
    Status,
    StatusSince: since,
    Enabled: true,
    Retrying: false,
    Severity: 'critical',
    MaintenanceUntil: null,
    DownBecause: null,
    Tags: [{ tag_id: idOf(1), Name: 'berlin/rack-1' }],
    LastCheck: null,
    Day: 'U'.repeat(72),
    Locations: [{ location_id: idOf(8), Name: 'Berlin' }],
    ...more,
  };
}

/** Lets the API answer with so many causes, of which somebody has the second. */
async function withCauses(page: Page, down: number): Promise<void> {
  await page.route(/\/v1\.1\/states/, (route) =>
    route.fulfill({ json: rowsOf(down), headers: { 'Vantage-Revision': 'r-1' } }),
  );
  await page.route(/\/v1\.1\/locations/, (route) =>
    route.fulfill({
      json: ['Berlin', 'Oslo'].map((Name, at) => ({ location_id: idOf(8 + at), Name, Online: at === 0 })),
    }),
  );
  const open = {
    alert_id: idOf(4),
    device_id: idOf(0),
    location_id: null,
    Kind: 'device.down',
    State: 'Open',
    Opened: since,
    Since: since,
    Location: 'Berlin',
    CheckResult: 'no answer from 10.20.0.1 within 5 s',
    Notifications: [],
    Acknowledged: null,
  };
  const taken = {
    ...open,
    alert_id: idOf(5),
    device_id: idOf(1),
    State: 'Acknowledged',
    CheckResult: null,
    Acknowledged: { By: 'Jana Wolf', Note: null, At: since },
  };
  await page.route(/\/v1\.1\/alerts/, (route) => {
    const { searchParams } = new URL(route.request().url());
    if (searchParams.get('Suppressed') !== 'false') return route.fulfill({ json: [] });
    // There are more than one answer holds.
    if (searchParams.has('Before')) return route.fulfill({ json: [taken] });
    return route.fulfill({ json: [open], headers: { Link: '</v1.1/alerts?Before=x>; rel="next"' } });
  });
}

const wallAt = (key = its.system.quickstart().api_key_ur) => `${its.base}wall#${key}`;

test.each(['light', 'dark'] as const)(
  'the causes come first, with who has them; axe-core finds nothing, %s',
  async (theme) => {
    const page = await its.open();
    await withCauses(page, 3);
    await page.goto(`${its.base}wall?theme=${theme}#${its.system.quickstart().api_key_ur}`);
    await page.getByRole('heading', { level: 1, name: '4 down, 3 causes' }).waitFor();
    const heads = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(heads.map((text) => text.split(' in the')[0])).toEqual([
      'router 0',
      'router 2',
      'Oslo',
      'router 1',
      '1 in maintenance',
    ]);
    const [first] = await page.getByRole('main').locator('section').all();
    expect(await first?.textContent()).toMatch(
      /Not acknowledged.*no answer from 10\.20\.0\.1.*1 behind it: berlin\/rack-1/,
    );
    await page.getByText('Acknowledged by Jana Wolf').waitFor();
    await page.getByText(/last news \d+\ss ago/).waitFor();
    expect(await violationsOf(page)).toBe('');
    expect(its.problems).toEqual([]);
  },
);

const sizes = [
  { width: 1_920, height: 1_080 },
  { width: 3_840, height: 2_160 },
  { width: 1_080, height: 1_920 },
];

/** The tiles that do not lie within the screen, or whose line that says who has it does not lie within its tile. */
const cutTiles = `[...document.querySelectorAll('main section')].filter((tile) => {
  const box = tile.getBoundingClientRect();
  const owner = [...tile.querySelectorAll('p')].find((line) => line.textContent === 'Not acknowledged');
  return box.bottom > innerHeight || box.right > innerWidth || owner?.getBoundingClientRect().bottom > box.bottom;
}).map((tile) => tile.textContent)`;

test('at 1920 × 1080, 3840 × 2160 and upright nothing scrolls, and who has it stands on every tile', async () => {
  const page = await its.open();
  for (const down of [0, 1, 5, 12, 40]) {
    await page.unrouteAll();
    await withCauses(page, down);
    if (down === 0) await page.goto(wallAt());
    else await page.reload();
    await page
      .getByRole('heading', { level: 1, name: down === 0 ? 'Nothing is down' : `${down + 1} down` })
      .waitFor();
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    expect(await page.getByRole('main').locator('section').count()).toBeLessThanOrEqual(15);
    for (const size of sizes) {
      await page.setViewportSize(size);
      expect([down, size, await page.evaluate(cutTiles)]).toEqual([down, size, []]);
      expect(await page.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true);
    }
  }
  await page.getByText(/and \d+ more/).waitFor();
});

test('a wall that hears nothing is grey and says from when it is, and goes on after a night without network', async () => {
  const page = await its.open({ theme: 'dark' });
  await page.clock.install();
  await withCauses(page, 1);
  await page.goto(wallAt());
  await page.getByText(/last news/).waitFor();
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  const colour = () =>
    page.evaluate(`getComputedStyle(document.querySelector('main section')).borderLeftColor`);
  const live = await colour();
  await page.context().setOffline(true);
  await page.clock.fastForward('09:00:00');
  await page.getByText(/No news from the controller for 9\sh/).waitFor();
  expect(await colour()).not.toBe(live);
  expect(await violationsOf(page)).toBe('');
  await page.context().setOffline(false);
  await page.clock.fastForward(60_000);
  await page.getByText(/No news from the controller/).waitFor({ state: 'detached' });
  expect(await colour()).toBe(live);
  await page.context().close();
});

test('a key that is not known or that changes things is refused in a sentence, and is not sent in an address', async () => {
  const page = await its.open();
  const addresses: string[] = [];
  const listen = (request: Request) => addresses.push(request.url());
  page.on('request', listen);
  await page.goto(wallAt('0'.repeat(64)));
  await page.getByRole('heading', { name: 'is wrong, or it has ended' }).waitFor();
  await page.goto('about:blank');
  const key = its.system.quickstart().api_key_uw;
  await page.goto(wallAt(key));
  await page.getByRole('heading', { name: 'is of level UW and can change things' }).waitFor();
  expect(await violationsOf(page)).toBe('');
  expect(
    addresses.filter((url) => new URL(url).search.includes(key) || new URL(url).pathname.includes(key)),
  ).toEqual([]);
  page.off('request', listen);
});

test('a wall waits for a controller that does not answer, and a person who is signed in needs no key', async () => {
  const page = await its.open();
  await page.clock.install();
  await page.route(/\/v1\.1\/hello/, (route) => route.abort());
  await page.goto(wallAt());
  await page.getByRole('heading', { name: 'Trying again every 10 seconds' }).waitFor();
  await page.unroute(/\/v1\.1\/hello/);
  await page.clock.fastForward(10_000);
  await page.getByText(/last news/).waitFor();
  await page.context().close();
  const person = await its.open();
  await its.signIn(person);
  await person.goto(`${its.base}wall`);
  await person.getByText(/last news/).waitFor();
  expect(await person.getByRole('navigation').count()).toBe(0);
});
