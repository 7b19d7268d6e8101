// The picture of a device for the README: a web shop with a day of checks behind it, which fails now and notifies.
// Usage: node tests/pictures/readme.ts FILE
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { z } from 'zod';
import { signInByForm, startBrowser } from '../browser/browser.ts';
import { openWindow } from '../browser/windows.ts';
import { runVantage } from '../harness/run-vantage.ts';
import { startSystem } from '../harness/system.ts';

const [file = 'docs/pictures/device.png'] = process.argv.slice(2);
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
await makeDay();
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
await page.screenshot({ path: file });

/** A day of checks, one a minute, slower in the afternoon, with ten minutes of an outage. */
async function makeDay(): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`
    insert into checks (device_no, start_us, agent_no, location_no, end_us, arrived_us, revision, attempt, code, perf, block_ms,
      dns_ms, connect_ms, ssl_ms, ttfb_ms, ttlb_ms, data_size, check_result)
    select d.device_no, s.at_us, a.agent_no, a.location_no, s.at_us + 90000, s.at_us + 95000, 1, 0, case when is_down then 3 else 1 end, 0, 0.4,
      2 + random() * 1.5, 7 + random() * 3, 14 + random() * 4, (28 + 34 * busy) * (0.85 + random() * 0.4), 4 + random() * 2, 8, case when is_down then '503 Service Unavailable' else '200 OK' end
    from devices d cross join lateral (select agent_no, location_no from agents limit 1) a cross join lateral (
      select (extract(epoch from now()) * 1e6)::bigint - n * 60000000::bigint as at_us,
        greatest(0, sin((n - 200) / 1440.0 * 2 * pi())) as busy, n between 402 and 411 as is_down
      from generate_series(1, 1438) n) s`);
  await client.query(`
    with past as (select (extract(epoch from now()) * 1e6)::bigint as now_us)
    insert into status_intervals (device_no, from_us, status)
    select device_no, now_us - minutes * 60000000::bigint, status from devices, past,
      (values (1440, 'Up'), (411, 'Down'), (401, 'Up')) v (minutes, status)
    on conflict do nothing`);
  await client.query(`update devices set created_us = created_us - 40 * 86400000000::bigint`);
  await client.query('update coverage set from_us = from_us - 86400000000');
  await client.query('update assignment_spans set from_us = from_us - 86400000000');
  await client.end();
}
