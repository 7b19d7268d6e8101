// An untouched wall: as many changes as a week brings, in minutes, with a restart of the controller in the
// middle. Its memory and its elements must not grow. Usage: node tests/bench/wall.ts [rounds] [changes of a round]
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { startSystem } from '../harness/system.ts';
import { printFigures } from './figures.ts';
import { killPart } from './kill-part.ts';
import { memoryOf, slopeOf } from './page-figures.ts';

const rounds = Number(process.argv[2] ?? 10);
const changes = Number(process.argv[3] ?? 1_000);
const devices = 40;
const atOnce = 4;

const created = z.object({ device_id: z.string() });

await using resources = new AsyncDisposableStack();
// A minute between checks is two seconds.
const system = resources.use(await startSystem({ env: { NODE_ENV: 'test', VANTAGE_TEST_TIME_SCALE: '30' } }));
const browser = await startBrowser();
resources.defer(() => browser.close());
const { dashboard_url: base, api_key_ur: key } = system.quickstart();
const ids: string[] = [];
for (let at = 0; at < devices; at += 1) {
  const body = {
    Method: 'TCP',
    URL: '127.0.0.1:9',
    ShortName: `d${at}`,
    FullName: `Router ${at} of the cellar`,
  };
  ids.push(created.parse(await system.api.ok('POST', '/devices', { ...body, Attempts: 1 })).device_id);
}
const page = await openWindow(browser, []);
await page.setViewportSize({ width: 1_920, height: 1_080 });
await page.goto(`${base}wall#${key}`);
await page.getByRole('heading', { level: 1, name: `${devices} down` }).waitFor({ timeout: 120_000 });
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable');

/** Maintenance begins and ends, so that each device is Maint and Down in turn: each call is an event and a tile. */
async function change(round: number): Promise<void> {
  for (let at = 0; at < changes; at += atOnce)
    await Promise.all(
      Array.from({ length: atOnce }, (_, i) => {
        const way = Math.floor((at + i) / devices) % 2 === round % 2 ? 'start' : 'stop';
        return system.api.call('PUT', `/devices/${ids[(at + i) % devices]}/${way}-maintenance`, {});
      }),
    );
}

const kept: { readonly kb: number; readonly nodes: number }[] = [];
for (let round = 0; round < rounds; round += 1) {
  const fromMs = performance.now();
  await change(round);
  if (round === Math.floor(rounds / 2)) await killPart(system, 'controller', 'SIGKILL');
  await page.getByText(/last news \d\ss ago/).waitFor({ timeout: 120_000 });
  await delay(3_000);
  const memory = await memoryOf(session);
  kept.push(memory);
  const spentS = (performance.now() - fromMs) / 1_000;
  process.stdout.write(
    `${(round + 1) * changes} changes: ${memory.kb.toFixed(0)} kB, ${memory.nodes} nodes, ${spentS.toFixed(0)} s\n`,
  );
}
const rows = kept.slice(Math.floor(rounds / 3));
const [first] = rows;
printFigures('A wall that stays open', [
  {
    what: `memory after ${rounds * changes} changes and a restart`,
    unit: 'kB',
    ours: kept.at(-1)?.kb ?? Number.NaN,
    peer: 'bound',
    theirs: 100_000,
    better: 'less',
  },
  {
    what: '  growth in the last two thirds',
    unit: 'kB in a week of 10,000 changes',
    ours: (slopeOf(rows.map(({ kb }) => kb)) * 10_000) / changes,
    peer: 'bound',
    theirs: 1_000,
    better: 'less',
  },
  {
    what: '  elements',
    unit: '',
    ours: kept.at(-1)?.nodes ?? Number.NaN,
    peer: 'after a third',
    theirs: first?.nodes ?? Number.NaN,
    better: 'less',
  },
]);
