// Pictures of every screen, in light and dark at 390, 1280 and 1920 px, of several
// worlds. Whoever changes the page looks at them. Usage: node tests/pictures/pictures.ts FOLDER [world] [widths,…]
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { signInByForm, startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { startSystem } from '../harness/system.ts';
import { makePlanned, planningScreens } from './planned.ts';
import { type Made, makeTwenty, manyStates } from './worlds.ts';

const [folder = 'pictures', onlyWorld, onlyWidths = '390,1280,1920'] = process.argv.slice(2);
const widths = onlyWidths.split(',').map(Number);
const themes = ['light', 'dark'] as const;
mkdirSync(folder, { recursive: true });

await using resources = new AsyncDisposableStack();
// A minute between checks is two seconds.
const system = resources.use(await startSystem({ env: { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '30' } }));
const browser = await startBrowser();
resources.defer(() => browser.close());
const { dashboard_url: base, api_key_uw: key } = system.quickstart();

/** A screen, and what is pressed on it before the picture. */
type Screen = readonly [name: string, path: string, press?: (page: Page) => Promise<unknown>];

const button = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();
const watching: readonly Screen[] = [
  ['overview', ''],
  ['devices', 'devices'],
  ['alerts', 'alerts'],
  ['locations', 'locations'],
];
const repairing = ({ devices: [first = '', long = ''] }: Made): readonly Screen[] => [
  ['device', `devices/${first}`],
  ['device-check', `devices/${first}`, (page) => page.locator('button[aria-expanded]').last().click()],
  ['device-long', `devices/${long}`],
  ['device-maintenance', `devices/${long}`, button('Maintenance')],
  [
    'alert',
    'alerts',
    (page) =>
      page
        .getByRole('link', { name: /is Down/ })
        .first()
        .click(),
  ],
  ['add', 'devices/new?address=192.0.2.1:25'],
  ['add-many', 'devices/new/many'],
  ['edit', `devices/${first}/edit`],
  ['devices-selected', 'devices', (page) => page.getByRole('checkbox').first().check()],
  [
    'devices-preview',
    'devices',
    async (page) => {
      await page.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Pause', exact: true }).click();
    },
  ],
  ['invite', 'locations', button('Invite an agent')],
  ['palette', '', (page) => page.keyboard.press('Control+k')],
  ['keys', '', (page) => page.keyboard.press('?')],
];

async function take(
  world: string,
  screens: readonly Screen[],
  { prepare, as = key }: { readonly prepare?: (page: Page) => Promise<void>; readonly as?: string } = {},
) {
  if (onlyWorld !== undefined && onlyWorld !== world) return;
  for (const theme of themes)
    for (const width of widths) {
      const page = await openWindow(browser, [], { theme, width });
      page.setDefaultTimeout(60_000);
      await signInByForm(page, base, as);
      await prepare?.(page);
      for (const [name, address, press] of screens) {
        await page.goto(`${base}${address}`);
        await page.getByRole('heading', { level: 1 }).first().waitFor();
        await page.waitForTimeout(1_200);
        await press?.(page).catch((error: unknown) => {
          process.stdout.write(`${world} ${name} ${width}: ${String(error)}\n`);
        });
        await page.waitForTimeout(400);
        const file = path.join(folder, `${world}-${name}-${width}-${theme}.png`);
        await page.screenshot({ path: file, fullPage: world !== 'thousands' && width < 1_900 });
      }
      await page.context().close();
    }
}

/** The sign-in is the one screen without a session. */
async function takeSignIn(): Promise<void> {
  if (onlyWorld !== undefined && onlyWorld !== 'sign-in') return;
  for (const theme of themes)
    for (const width of widths) {
      const page = await openWindow(browser, [], { theme, width });
      await page.goto(base);
      await page.getByLabel('API key').waitFor();
      await page.screenshot({ path: path.join(folder, `sign-in-${width}-${theme}.png`) });
      await page.context().close();
    }
}

await takeSignIn();
await take('empty', watching);
const made = await makeTwenty(system);
resources.use(made);
await take('twenty', [...watching, ...repairing(made)]);
await take('thousands', watching, { prepare: (page) => manyStates(page, () => 'Up') });
await take('all-down', watching, { prepare: (page) => manyStates(page, () => 'Down') });
await take('long-outage', watching, {
  prepare: (page) => manyStates(page, (at) => (at === 3 ? 'Down' : 'Up'), '2025-08-01T04:00:00Z'),
});
const planned = await makePlanned(system, made.devices);
await take('planned', planningScreens(planned), { as: planned.adminKey });
await made.loseLocation();
await take('offline', [...watching, ['device', `devices/${made.devices[0] ?? ''}`]]);
