// The page with 10,000 devices, 300 tags and 3 Locations, of which 30 are Down behind 2 masters: Chromium's own figures
// of the first load, of keys in the search and of a device, on a fast and on a slow connection. Usage:
// node tests/bench/many-devices.ts [devices]
import { startBrowser } from '../browser/browser.ts';
import { startSystem } from '../harness/system.ts';
import { startTarget } from '../harness/target.ts';
import { printFigures } from './figures.ts';
import { measureFast, measureSlow } from './many-devices-figures.ts';
import { makeManyDevices } from './many-devices-world.ts';

const devices = Number(process.argv[2] ?? 10_000);

await using resources = new AsyncDisposableStack();
const target = resources.use(await startTarget());
const system = resources.use(await startSystem({ timeoutMs: 300_000 }));
const browser = await startBrowser();
resources.defer(() => browser.close());
await makeManyDevices(system, { devices, port: target.port, resources });
const { dashboard_url: base, api_key_uw: key } = system.quickstart();
const measured = { browser, base, key, devices };
printFigures(`The page with ${devices} devices`, await measureFast(measured));
printFigures('  at 400 kbit/s and 400 ms, the first load of the overview', await measureSlow(measured));
