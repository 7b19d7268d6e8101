import { newId } from '@vantage/kernel';
import { promtoolComplaints, undocumentedSeries } from '@vantage/testing/promtool';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { insertRollout } from '../../agents/upgrades/index.ts';
import { createRestFixture, type RestFixture } from '../../testing/rest-fixture.ts';
import { createSampleAccount, type SampleAccount } from '../../testing/sample-account.ts';
import { accountMetrics } from './account-metrics.ts';
import { deviceSeries } from './device-series.ts';

let rest: RestFixture;
let key: string;
let mine: SampleAccount;
let accountNo: number;
let otherKey: string;

beforeAll(async () => {
  rest = await createRestFixture();
  const account = await rest.account('mine');
  accountNo = account.accountNo;
  ({ key } = await rest.key(accountNo, 'UR'));
  const writer = await rest.key(accountNo, 'UW');
  mine = await createSampleAccount(rest, account, writer.key);
  await rest.db.kysely
    .insertInto('check_counts')
    .values({
      account_no: accountNo,
      location_no: account.locationNo,
      agent_no: mine.agentNo,
      method: 'TCP',
      code: 2,
      checks: 7,
      duration_ms: 1500,
    })
    .execute();
  const rollout = { accountNo: account.accountNo, version: '0.3.0', agentNos: [mine.agentNo] };
  await insertRollout(rest.db.kysely, { ...rollout, nowUs: rest.clock.nowUs() });
  const other = await rest.account('other');
  otherKey = (await rest.key(other.accountNo, 'UR')).key;
});
afterAll(() => rest[Symbol.asyncDispose]());

async function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const response = await fetch(new URL(path, rest.baseUrl), {
    method,
    headers: { 'X-Forwarded-Proto': 'https', ...headers },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });

test('a key comes in a header, in the query or as a bearer token; without one, or with a bad one, the answer is 401', async () => {
  const answers = [
    await get('/metrics', { 'Service-API-Key': key }),
    await get(`/metrics?api_key=${key}`),
    await get('/metrics', bearer(key)),
    await get('/metrics'),
    await get('/metrics', bearer(newId())),
    await get('/metrics', { ...bearer(key), 'Service-API-Key': otherKey }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 401, 401, 401]);
  expect(answers[3]?.headers.get('WWW-Authenticate')).toBe('Bearer realm="vantage"');
  expect(JSON.parse(answers[3]?.text ?? '')).toMatchObject({ code: 1001 });
});

test('a bearer token is a key for /metrics only', async () => {
  const { status, text } = await get('/v1.1/devices', bearer(key));
  expect([status, JSON.parse(text)]).toMatchObject([400, { code: 1001 }]);
});

test("a scrape shows the account's devices, checks, outages, Locations and agents; single devices when asked", async () => {
  const { text, headers } = await get('/metrics', bearer(key));
  expect(headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(text).toContain('\nvantage_devices{status="Unknown"} 1\n');
  expect(text).toContain('\nvantage_checks_total{method="TCP",result_code="2",location="local"} 7\n');
  expect(text).toContain(
    '\nvantage_check_duration_seconds_total{method="TCP",result_code="2",location="local"} 1.5\n',
  );
  expect(text).toContain('\nvantage_outages_open 0\n');
  expect(text).toContain('\nvantage_alerts{state="Open"} 1\n');
  expect(text).toContain('\nvantage_alerts{state="Snoozed"} 0\n');
  expect(text).toContain('\nvantage_location_online{location="local"} 0\n');
  expect(text).toContain('\nvantage_agents{state="Connected"} 1\n');
  expect(text).toContain('\nvantage_agent_upgrades{state="Waiting"} 1\n');
  expect(text).not.toContain(mine.ids['device_id']);
  const each = await get('/metrics?devices=Y', bearer(key));
  const labels = `device_id="${mine.ids['device_id']}",short_name="dev"`;
  expect(each.text).toContain(`\nvantage_device_status{${labels},method="TCP",status="Unknown"} 1\n`);
  expect(each.text).toContain(`\nvantage_device_last_check_result_code{${labels}} 1\n`);
  expect((await get('/metrics?devices=true', bearer(key))).text).toBe(each.text);
  for (const none of ['N', 'false'])
    expect((await get(`/metrics?devices=${none}`, bearer(key))).text).toBe(text);
});

test('an open outage is counted with its begin, unless maintenance covers all of it or the device is paused', async () => {
  const { kysely } = rest.db;
  const nowUs = rest.clock.nowUs();
  const [fromUs, device_no] = [nowUs - 60_000_000, mine.deviceNo];
  await kysely
    .insertInto('status_intervals')
    .values({ device_no, from_us: fromUs, status: 'Down' })
    .execute();
  await kysely.updateTable('device_state').set({ status: 'Down', since_us: fromUs }).execute();
  const { text } = await get('/metrics', bearer(key));
  expect(text).toContain('\nvantage_outages_open 1\n');
  expect(text).toContain(`\nvantage_outage_oldest_start_timestamp_seconds ${fromUs / 1e6}\n`);
  const pause = (enabled: boolean) =>
    kysely.updateTable('devices').set({ enabled }).where('device_no', '=', device_no).execute();
  await pause(false);
  expect((await get('/metrics', bearer(key))).text).toContain('\nvantage_outages_open 0\n');
  await pause(true);
  await kysely
    .insertInto('maintenance_windows')
    .values({ device_no, from_us: fromUs - 1, to_us: nowUs + 60_000_000 })
    .execute();
  const covered = await get('/metrics', bearer(key));
  expect(covered.text).toContain('\nvantage_outages_open 0\n');
  expect(covered.text).toContain('\nvantage_devices{status="Maint"} 1\n');
});

test('other work goes on while the series of thousands of devices are written; what names hold is escaped', async () => {
  const row = {
    device_id: 'id',
    short_name: 'a "quoted"\\\nname',
    method: 'TCP',
    status: 'Up' as const,
    since_us: 1_500_000,
    check_end_us: null,
    code: null,
    duration_ms: null,
  };
  let iterations = 0;
  const count = () => {
    iterations += 1;
    handle = setImmediate(count);
  };
  let handle = setImmediate(count);
  const text = await deviceSeries(Array.from({ length: 5_000 }, () => row));
  clearImmediate(handle);
  expect(iterations).toBeGreaterThan(5);
  const labels = 'device_id="id",short_name="a \\"quoted\\"\\\\\\nname"';
  expect(text).toContain(`\nvantage_device_status{${labels},method="TCP",status="Up"} 1\n`);
  expect(text).toContain(`\nvantage_device_status_since_timestamp_seconds{${labels}} 1.5\n`);
});

test('a key never sees a series of another account', async () => {
  const { text } = await get('/metrics?devices=Y', bearer(otherKey));
  const { location_id: _, ...ids } = mine.ids;
  for (const id of Object.values(ids)) expect(text).not.toContain(id);
  expect(text).not.toMatch(/^vantage_(checks_total|agent_connected|device_status)\{/m);
  const counts = [...text.matchAll(/^vantage_devices\{.*\} (\d+)$/gm)].map(([, count]) => count);
  expect(counts).toEqual(['0', '0', '0', '0']);
});

test('a parameter that a scrape does not have is 1004 with its name', async () => {
  for (const query of ['devices=yes', 'devices=Y&devices=Y', 'Devices=Y&devices=Y', 'DEVICES=Y']) {
    const { status, text } = await get(`/metrics?${query}`, bearer(key));
    expect([status, JSON.parse(text)], query).toMatchObject([400, { code: 1004 }]);
  }
  expect((await get('/metrics', {}, 'POST')).headers.get('Allow')).toBe('GET');
});

test('docs/metrics.md describes every series, and promtool finds nothing to complain about', async ({
  skip,
}) => {
  const { text } = await get('/metrics?devices=Y', bearer(key));
  expect(undocumentedSeries(text)).toEqual([]);
  const complaints = promtoolComplaints(['check', 'metrics'], text);
  skip(complaints === undefined, 'promtool is missing (Debian: prometheus)');
  expect(complaints).toBe('');
});

test('the number of queries of a scrape does not depend on the number of devices', async () => {
  let count = 0;
  const kysely = rest.db.kysely.withPlugin({
    transformQuery: ({ node }) => {
      count += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  await accountMetrics({ kysely }, { accountNo, nowUs: rest.clock.nowUs(), withDevices: true });
  expect(count).toBe(9);
});

test('/healthz and /readyz need no key; a controller whose database lacks a migration or is gone is not ready', async () => {
  expect(await get('/healthz')).toMatchObject({ status: 200, text: 'ok\n' });
  expect(await get('/readyz')).toMatchObject({ status: 200, text: 'ready\n' });
  await sql`delete from migrations where name = (select max(name) from migrations)`.execute(rest.db.kysely);
  expect(await get('/readyz')).toMatchObject({ status: 200 }); // asked a moment ago
  await rest.clock.advance(1_001);
  const lacking = 'not ready: The database lacks 1 migrations of this version.\n';
  expect(await get('/readyz')).toMatchObject({ status: 503, text: lacking });
  await rest.dropDatabase();
  await rest.clock.advance(1_001);
  expect(await get('/readyz')).toMatchObject({
    status: 503,
    text: 'not ready: The database does not answer.\n',
  });
  expect(await get('/healthz')).toMatchObject({ status: 200 });
});
