// The pictures of the README: a web shop with a day of checks behind it, which fails now and notifies, and the overview
// and the list of thousands of devices. Usage: node tests/pictures/readme.ts FOLDER
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { signInByForm, startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { startSystem } from '../harness/system.ts';
import { outageWorld } from './outage-world.ts';
import { addPastDay } from './past-day.ts';

const [folder = 'docs/pictures'] = process.argv.slice(2);
const created = z.object({ device_id: z.string() });

async function serve(status: () => number): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((_, answer) => answer.writeHead(status()).end('welcome\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

await using resources = new AsyncDisposableStack();
const system = resources.use(await startSystem({ env: { VANTAGE_ALLOW_PRIVATE_WEBHOOKS: 'true' } }));
let status = 200;
const shop = await serve(() => status);
const pager = await serve(() => 200);
for (const { server } of [shop, pager]) resources.defer(() => void server.close());
const { dashboard_url: base, api_key_uw: key, database_url: url } = system.quickstart();
const contact = `http://127.0.0.1:${pager.port}/on-call`;
await runVantage(['contacts', 'add', contact, '--name', 'Jana (on call)'], {
  env: { VANTAGE_DATA: system.dataDir },
});
await system.api.ok('POST', '/tags', { Name: 'berlin/shop' });
const { device_id } = created.parse(
  await system.api.ok('POST', '/devices', {
    Method: 'HTTP',
    URL: `http://127.0.0.1:${shop.port}/`,
    ShortName: 'shop',
    FullName: 'Web shop',
    FrequencySeconds: 10,
    Attempts: 2,
    RetryDelay: 5,
    Tags: ['berlin/shop'],
  }),
);
await delay(12_000);
await addPastDay(url);
// The agent knows the device by the time of its creation, and takes it anew when it starts.
process.kill(system.quickstart().pids.agent, 'SIGKILL');
await delay(40_000);
status = 503;
await delay(75_000);
const browser = await startBrowser();
resources.defer(() => browser.close());
const page = await openWindow(browser, []);
await page.setViewportSize({ width: 1280, height: 940 });
await signInByForm(page, base, key);
await page.goto(`${base}devices/${device_id}`);
await page.getByRole('heading', { level: 1 }).waitFor();
await delay(3_000);
await page.screenshot({ path: path.join(folder, 'device.png') });
await page.setViewportSize({ width: 1280, height: 720 });
await outageWorld(page);
for (const [name, address, settled] of [
  ['overview', '', 'its first outage'],
  ['devices', 'devices', 'behind ber-rt-0'],
] as const) {
  await page.goto(`${base}${address}`);
  await page.getByText(settled).first().waitFor();
  await delay(3_000);
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
