// Pictures of every screen, in light and dark at 390, 1280 and 1920 px, of seven worlds. Whoever changes the page looks
// at them. Usage: node tests/pictures/pictures.ts FOLDER [world] [widths,…] [themes,…] [names of screens]
import path from 'node:path';
import { z } from 'zod';
import { startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { createApi } from '../harness/api.ts';
import { startSystem } from '../harness/system.ts';
import { manyAgents } from './fleet-world.ts';
import { outageWorld } from './outage-world.ts';
import { addPastDay } from './past-day.ts';
import { makePlanned } from './planned.ts';
import {
  deviceScreens,
  fleetScreens,
  lists,
  looking,
  maintain,
  manyAgentScreens,
  planning,
  repairing,
  watching,
} from './screens.ts';
import { createTaker, type PictureChoice } from './take.ts';
import { makeOne, makeTwenty } from './worlds.ts';

const [folder = 'pictures', world, widths = '390,1280,1920', themes = 'light,dark', names] =
  process.argv.slice(2);
const choice: PictureChoice = {
  folder,
  world: world === 'all' ? undefined : world,
  widths: widths.split(',').map(Number),
  themes: z.array(z.enum(['light', 'dark'])).parse(themes.split(',')),
  screens: names === undefined ? undefined : new RegExp(`^(?:${names})$`),
};

await using resources = new AsyncDisposableStack();
// A minute between checks is two seconds.
const started = resources.use(
  await startSystem({ env: { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '30' } }),
);
const browser = await startBrowser();
resources.defer(() => browser.close());
const take = createTaker(browser, choice);
const { dashboard_url: base, api_key_uw: key, api_key_ur: viewer, database_url: url } = started.quickstart();
const { base_url: baseUrl, ca_file: caFile } = started.quickstart();
// Its connection is idle while pictures are taken.
const api = createApi({ baseUrl, caFile, key, isRepeatedOnIdleEnd: true });
resources.defer(() => api.close());
const system = { ...started, api };

/** The sign-in is the one screen without a session. */
async function takeSignIn(): Promise<void> {
  if (choice.world !== undefined && choice.world !== 'fresh') return;
  for (const theme of choice.themes)
    for (const width of choice.widths) {
      const page = await openWindow(browser, [], { theme, width });
      await page.goto(base);
      await page.getByLabel('API key').waitFor();
      await page.screenshot({ path: path.join(folder, `fresh-sign-in-${width}-${theme}.png`) });
      await page.context().close();
    }
}

await takeSignIn();
await take('fresh', [...watching, ...lists], { base, key });

const single = await makeOne(system);
resources.use(single);
const ofOne: typeof watching = [['report', 'reports'], ...deviceScreens(single.devices[0] ?? '')];
await take('one', [...watching, ...ofOne], { base, key });
await system.api.ok('DELETE', `/devices/${single.devices[0]}`);

const made = await makeTwenty(system);
resources.use(made);
await addPastDay(url);
const planned = await makePlanned(system, made.devices);
const admin = { base, key: planned.adminKey };
const { location, agent } = await made.firstAgent();
const everything = [...watching, ...looking, ...repairing(made), ...fleetScreens(location, agent)];
await take('twenty', [...everything, ...planning(planned)], admin);

const large: typeof watching = [
  ['devices-down', 'devices?q=status:down'],
  ...fleetScreens(location, agent).slice(2),
];
await take('thousands', [...watching, ...looking, ...large], { ...admin, prepare: outageWorld });

await take('fleet', manyAgentScreens, { ...admin, prepare: manyAgents });

// The second device has a name of 1,000 characters, the third one is written from right to left.
const [, long = '', arabic = ''] = made.devices;
const named: typeof watching = [
  ['device', `devices/${long}`],
  ['device-rtl', `devices/${arabic}`],
  ['device-maintenance', `devices/${long}`, maintain],
  ['edit', `devices/${long}/edit`],
  ['add', 'devices/new'],
];
await take('viewer', [...watching, ...looking, ...lists, ...named.slice(0, 2), ...named.slice(4)], {
  base,
  key: viewer,
});
await take('long', [...watching.slice(0, 4), ...looking.slice(0, 1), ...named.slice(0, 4)], { base, key });

await made.loseLocation();
const lost: typeof watching = [
  ...fleetScreens(location, agent).slice(0, 2),
  ['device', `devices/${made.devices[0] ?? ''}`],
  ['account', 'account'],
];
await take('offline', [...watching, ...looking.slice(0, 1), ...lost], admin);
